import { defineCommand } from "../command-line/command.ts";
import { pipelinesFlag } from "../command-line/pipelines-flag.ts";
import { usageError } from "../errors/cli-error.ts";
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
  saysEnvironment: true,
  flags: {
    pipelines: pipelinesFlag,
    stages: {
      type: "text",
      many: true,
      placeholder: "PIPELINE/STAGE",
      completes: "stages",
      sentence: "The stages to serve, separated by commas; all by default.",
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
      sentence: "The most jobs it has at a time in all stages together; no limit by default.",
    },
    once: { type: "switch", sentence: "End when nothing is due." },
    demo: { type: "switch", sentence: "Work on the demo pipeline if no file with pipelines is found." },
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
      sentence: "How long running jobs may take to finish at the end; 15s by default.",
    },
    "transaction-pooler": {
      type: "switch",
      sentence: "The database URL goes through a transaction pooler.",
    },
    "listen-url": {
      type: "text",
      placeholder: "URL",
      sentence: "A direct URL for LISTEN, if the database URL goes through a pooler.",
    },
  },
  async run({ flags, config, databaseUrl, schema, io, output, signal }) {
    if (output.format === "json")
      throw usageError(
        "A worker runs until it is stopped and has no single document to print: give --jsonl, not --json.",
      );
    const url = await databaseUrl();
    const { loadPipelines } = await import("../pipelines/load-pipelines.ts");
    const { runWork } = await import("../work/run-work.ts");
    const { pipelines, files } = await loadPipelines(flags.pipelines, io.cwd);
    // A worker that was started in the wrong folder by mistake must not run a demo.
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
          schema: await schema(),
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
