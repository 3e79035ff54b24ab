import { defineCommand } from "../../command-line/command.ts";
import { usageError } from "../../errors/cli-error.ts";
import { defaultBatch, importFlags, sourceUrl } from "../../import/import-flags.ts";
import { queueTargets } from "../../import/queue-targets.ts";

export const importBullMqCommand = defineCommand({
  name: "import bullmq",
  summary: "Takes over waiting jobs and job schedulers of BullMQ; each queue is paused meanwhile.",
  examples: [
    ["lockstep import bullmq --from redis://127.0.0.1:6379 --dry-run", "what would be taken over"],
    [
      "lockstep import bullmq --from-env REDIS_URL --queue video=convert --name convert",
      "the jobs of one name of a queue, into a pipeline of another name",
    ],
  ],
  flags: {
    from: {
      type: "text",
      placeholder: "URL",
      sentence: "Where it is: redis://… or rediss://…, or postgres://… if it is on PostgreSQL.",
    },
    "from-prefix": {
      type: "text",
      placeholder: "PREFIX",
      sentence: "The prefix of its keys in Redis; default bull.",
    },
    "from-schema": {
      type: "text",
      placeholder: "SCHEMA",
      sentence: "Its schema in PostgreSQL; default bullmq.",
    },
    ...importFlags,
    name: { type: "text", placeholder: "NAME", sentence: "Only jobs of this name." },
  },
  async run(context) {
    const { flags, io } = context;
    const url = sourceUrl(flags, io);
    if (url === undefined || !/^(rediss?|postgres(ql)?):/.test(url)) {
      throw usageError("Where is BullMQ?", "Give --from redis://host:6379, or --from-env with a variable.");
    }
    const { loadBullMq } = await import("../../import/bullmq-library.ts");
    const { BullMqSource } = await import("../../import/bullmq-source.ts");
    const { runImport } = await import("../../import/run-import.ts");
    const library = loadBullMq(io.cwd, flags["force-version"]);
    const named = [...queueTargets(flags.queue).keys()];
    return await runImport(context, {
      queues: flags.queue,
      isDryRun: flags["dry-run"],
      jobsPerBatch: flags.batch ?? defaultBatch,
      open: async (_here, pipelines) =>
        new BullMqSource({
          library,
          url,
          prefix: flags["from-prefix"] ?? "bull",
          schema: flags["from-schema"] ?? "bullmq",
          // It keeps no list of its queues.
          names: named.length > 0 ? named : pipelines,
          jobName: flags.name ?? null,
          now: () => io.clock.now(),
        }),
    });
  },
});
