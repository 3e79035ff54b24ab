import { type CommandContext, defineCommand } from "../../command-line/command.ts";
import { usageError } from "../../errors/cli-error.ts";
import { knownPipeline } from "../../errors/known-pipeline.ts";
import { eventLine } from "../../jobs/event-line.ts";
import { watchJob } from "../../jobs/watch-job.ts";
import { exitCode } from "../../session/exit-code.ts";

export const tailJobsCommand = defineCommand({
  name: "jobs tail",
  aliases: ["jobs watch"],
  summary: "Follows what happens to jobs as it happens; with an ID, one job until it ends.",
  examples: [
    ["lockstep jobs tail", "everything in the realtime log from now on, until Ctrl-C"],
    ["lockstep jobs tail --owner ada --jsonl", "the events of one owner, for a program"],
    ["lockstep jobs watch 0192b4c8-7e1a-7000-8000-3f2a9c5ea71c", "a bar until the job has ended"],
  ],
  usage: "[ID]",
  words: { least: 0, most: 1 },
  flags: {
    pipeline: {
      type: "text",
      placeholder: "NAME",
      completes: "pipelines",
      sentence: "Only jobs of this pipeline.",
    },
    owner: { type: "text", placeholder: "OWNER", sentence: "Only jobs of this owner." },
    job: { type: "text", placeholder: "ID", sentence: "Only this job, until it ends; the same as ID alone." },
    after: {
      type: "text",
      placeholder: "CURSOR",
      sentence: 'Start after this event, or with "start" at the oldest one kept; by default from now on.',
    },
  },
  async run(context) {
    const { words, flags } = context;
    const id = words[0] ?? flags.job;
    if (id === undefined) return await follow(context);
    if (flags.pipeline !== undefined || flags.owner !== undefined || flags.after !== undefined) {
      throw usageError("One job needs no --pipeline, --owner or --after.");
    }
    return await watchJob(context, id);
  },
});

async function follow(
  context: CommandContext & { flags: { pipeline?: string; owner?: string; after?: string } },
): Promise<number> {
  const { engine, reader, output, signal, flags } = context;
  const { pipeline, owner, after } = flags;
  if (output.format === "json") throw usageError("Events come one by one: give --jsonl instead of --json.");
  if (pipeline !== undefined) {
    const { events } = await knownPipeline(await reader(), pipeline);
    if (!events && owner === undefined) {
      output.note(
        `Jobs of ${pipeline} without an owner write no events: set events: true in its definition.`,
      );
    }
  }
  const queue = await engine();
  // Before the line that says so: from then on nothing is missed.
  const from = after ?? (await queue.eventCursor());
  output.note(
    "Following the realtime log: jobs with an owner, and pipelines with events: true. Ctrl-C ends it.",
  );
  for await (const event of queue.readEvents({ pipeline, owner, after: from, signal })) {
    await output.line(
      () =>
        event.kind === "events.reset"
          ? output.paint.yellow("Some earlier events are lost: read the jobs again.")
          : eventLine(event, output),
      event,
    );
  }
  return exitCode("done");
}
