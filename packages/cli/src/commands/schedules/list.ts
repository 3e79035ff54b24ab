import { defineCommand } from "../../command-line/command.ts";
import { refuseUnknownNames } from "../../errors/known-pipeline.ts";
import { timeText } from "../../output/time-text.ts";
import { exitCode } from "../../session/exit-code.ts";

export const listSchedulesCommand = defineCommand({
  name: "schedules list",
  aliases: ["schedules"],
  summary: "Lists the schedules, when each runs next, and what keeps one from running.",
  examples: [
    ["lockstep schedules list", "all there are"],
    ["lockstep schedules --pipeline daily-brief --json", "those of a pipeline, for a program"],
  ],
  flags: {
    pipeline: {
      type: "text",
      placeholder: "NAME",
      completes: "pipelines",
      sentence: "Only schedules of this pipeline.",
    },
    limit: { type: "number", least: 1, most: 1_000, sentence: "At most this many; default 200." },
    after: { type: "text", placeholder: "NAME", sentence: "Only those after this name." },
  },
  async run({ reader, output, io, flags }) {
    const queue = await reader();
    await refuseUnknownNames(queue, flags);
    const schedules = await queue.schedules(flags);
    const time = (at: Date | null) => timeText(at, io.clock.now(), output.isForPeople);
    const { cyan, red } = output.paint;
    await output.list(
      schedules,
      [
        { title: "SCHEDULE", cell: ({ name }) => name },
        { title: "PIPELINE", cell: ({ pipeline }) => pipeline, isElastic: true },
        { title: "CRON", cell: ({ cron }) => cron },
        { title: "TIME ZONE", cell: ({ timeZone }) => timeZone },
        {
          title: "NEXT",
          cell: ({ pausedAt, nextRuns }) => (pausedAt === null ? time(nextRuns[0] ?? null) : "paused"),
          paint: (text, { pausedAt }) => (pausedAt === null ? text : cyan(text)),
        },
        { title: "LAST", cell: ({ lastAt }) => time(lastAt) },
        { title: "PROBLEM", cell: ({ problem }) => problem ?? "", isElastic: true, paint: red },
      ],
      {
        none:
          flags.pipeline === undefined && flags.after === undefined
            ? "There is no schedule: `engine.schedule` sets one."
            : "No schedule matches.",
      },
    );
    return exitCode("done");
  },
});
