import { usageError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { drain } from "../work/drain.ts";
import { tellJobs } from "../work/job-lines.ts";
import { StopOrders, untilAborted } from "../work/stop-orders.ts";
import { talkingLogger } from "../work/talking-logger.ts";
import { untilNothingIsDue } from "../work/until-nothing-is-due.ts";
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
    once: { type: "switch", sentence: "End when nothing is due." },
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
    const { pipelines, files } = await loadPipelines(flags.pipelines, io.cwd);
    const { processors } = flags;
    const { createEngine } = await import("lockstep");
    const chosen = flags.stages.flatMap((list) => list.split(",")).map((stage) => stage.trim());
    const engine = createEngine({
      databaseUrl: url,
      pipelines:
        processors === undefined ? pipelines : pipelines.map((each) => withProcessors(each, processors)),
      stages: chosen.length === 0 ? null : chosen,
      workerName: flags.name ?? null,
      ...(flags["drain-timeout"] === undefined ? {} : { drainTimeoutMs: flags["drain-timeout"] }),
      transactionPooler: flags["transaction-pooler"],
      listenUrl: flags["listen-url"] ?? null,
      logger: talkingLogger(output, config.talk),
    });
    const orders = new StopOrders(io);
    // At --timeout, or when nobody reads its events any more.
    signal.addEventListener("abort", () => orders.give("SIGTERM"), { once: true });
    const over = new AbortController();
    try {
      tellJobs(engine, {
        output,
        io,
        isToldToPeople: io.stderr.isTTY || config.talk === "verbose" || config.talk === "debug",
      });
      let stopsItself = false;
      engine.on("engine.stopping", () => {
        stopsItself = !orders.drain.aborted && !over.signal.aborted;
        over.abort();
      });
      const served = pipelines.flatMap(({ name, stages }) => stages.map((stage) => `${name}/${stage.name}`));
      const stages = chosen.length === 0 ? served : chosen;
      const from =
        files.length === 0 ? "the demo pipeline: no file with pipelines was found" : files.join(", ");
      output.note(`working on ${stages.join(", ")} (${from})`);
      orders.drain.addEventListener("abort", () => over.abort(), { once: true });
      await Promise.race([engine.start(), untilAborted(over.signal)]);
      if (flags.once && !over.signal.aborted) {
        const left = await untilNothingIsDue(engine, { stages, clock: io.clock, signal: over.signal });
        if (left > 0)
          output.note(`${left} jobs wait that cannot be taken at present: a limit or a group holds them`);
        over.abort();
      }
      await untilAborted(over.signal);
      const code = await drain(engine, orders, output);
      output.note("stopped");
      return stopsItself ? exitCode("failed") : code;
    } finally {
      await engine.stop();
      orders.stopListening();
    }
  },
});
