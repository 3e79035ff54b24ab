import { defineCommand } from "../command-line/command.ts";
import { pipelinesFlag } from "../command-line/pipelines-flag.ts";
import { usageError } from "../errors/cli-error.ts";

/** The worker of `lockstep dev`. A process of its own, since Node cannot forget code that it has imported. */
export const devWorkerCommand = defineCommand({
  name: "dev-worker",
  summary: "The worker of `lockstep dev`, which starts it.",
  examples: [["lockstep dev-worker", "only `lockstep dev` does this"]],
  isHidden: true,
  handlesSignals: true,
  flags: {
    pipelines: pipelinesFlag,
    demo: { type: "switch", sentence: "Also run the demo pipeline." },
    "tell-jobs": { type: "switch", sentence: "Print a line for each step of a job." },
  },
  async run({ flags, config, io, output, signal, schema }) {
    if (io.parent === null) throw usageError("`lockstep dev` starts this by itself: run that.");
    const { runDevWorker } = await import("../dev/run-dev-worker.ts");
    return runDevWorker({
      io,
      output,
      signal,
      parent: io.parent,
      schema: await schema(),
      talk: config.talk,
      asked: flags.pipelines,
      hasDemo: flags.demo,
      isToldToPeople: flags["tell-jobs"],
    });
  },
});
