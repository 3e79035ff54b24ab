import { usageError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { StopOrders } from "../work/stop-orders.ts";
import { withProcessors } from "../work/with-processors.ts";

export const workCommand = defineCommand({
  name: "work",
  summary: "Runs a worker for the pipelines of a file, until it is told to stop.",
  examples: [
    ["lockstep work --pipelines src/pipelines.ts", "work on all of its stages"],
    ["lockstep work --stages document-ocr/ocr --processors 2", "only on one stage, two jobs at a time"],
    ["lockstep work --once", "work until nothing is due, then end; for cron"],
  ],
  handlesSignals: true,
  flags: {
    pipelines: {
      type: "text",
      many: true,
      placeholder: "FILE",
      completes: "files",
      sentence: "A file that exports pipelines, or a pattern; by default the usual places are looked at.",
    },
    stages: {
      type: "text",
      many: true,
      placeholder: "PIPELINE/STAGE",
      completes: "stages",
      sentence: "The stages to serve, also several with commas; all by default.",
    },
    processors: {
      type: "number",
      least: 1,
      most: 10_000,
      sentence: "How many jobs of each stage run at a time, instead of what the pipelines say.",
    },
    "jobs-at-once": {
      type: "number",
      least: 1,
      most: 100_000,
      sentence: "The most jobs it has at a time, of all stages together; no bound by default.",
    },
    once: { type: "switch", sentence: "End when nothing is due." },
    demo: { type: "switch", sentence: "Work on the demo pipeline, where no file with pipelines is found." },
    timing: {
      type: "text",
      placeholder: "default|classic",
      choices: ["default", "classic"],
      sentence: "classic scans every 60 s and assigns 3 jobs every 5 s, instead of at once.",
    },
    name: { type: "text", sentence: "What this worker is called in lists and logs." },
    "drain-timeout": {
      type: "span",
      placeholder: "SPAN",
      sentence: "How long running jobs may go on at the end; 30s by default.",
    },
    "transaction-pooler": {
      type: "switch",
      sentence: "The database URL leads through a transaction pooler.",
    },
    "listen-url": {
      type: "text",
      placeholder: "URL",
      sentence: "A direct URL for LISTEN, where the database URL leads through a pooler.",
    },
  },
  async run({ flags, config, databaseUrl, io, output, signal }) {
    if (output.format === "json") throw usageError("A worker has no end to print: give --jsonl, not --json.");
    const url = await databaseUrl();
    const { loadPipelines } = await import("../pipelines/load-pipelines.ts");
    const { runWork } = await import("../work/run-work.ts");
    const { pipelines, files } = await loadPipelines(flags.pipelines, io.cwd);
    // Nobody who starts a worker elsewhere than he thinks shall have it serve a demo.
    if (files.length === 0 && !flags.demo) {
      throw usageError(
        "No file with pipelines was found in this folder.",
        "Give one with --pipelines FILE; --demo works on the demo pipeline.",
      );
    }
    const { processors } = flags;
    const orders = new StopOrders(io);
    // At --timeout, or when nobody reads its events any more.
    signal.addEventListener("abort", () => orders.give("SIGTERM"), { once: true });
    try {
      return await runWork({
        io,
        output,
        orders,
        talk: config.talk,
        pipelines:
          processors === undefined ? pipelines : pipelines.map((each) => withProcessors(each, processors)),
        stages: flags.stages.flatMap((list) => list.split(",")).map((stage) => stage.trim()),
        from: files.length === 0 ? "the demo pipeline" : files.join(", "),
        isOnce: flags.once,
        settings: {
          databaseUrl: url,
          workerName: flags.name ?? null,
          timing: flags.timing === "classic" ? "classic" : "default",
          drainTimeoutMs: flags["drain-timeout"],
          transactionPooler: flags["transaction-pooler"],
          listenUrl: flags["listen-url"] ?? null,
          jobsAtOnce: flags["jobs-at-once"] ?? null,
        },
      });
    } finally {
      orders.stopListening();
    }
  },
});
