import { defineCommand } from "../../command.ts";
import { exitCode } from "../../exit-code.ts";
import { timeText } from "../../time-text.ts";

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
    limit: { type: "number", least: 1, most: 1_000, sentence: "At most so many; default 200." },
    after: { type: "text", placeholder: "NAME", sentence: "Those that come after this name." },
  },
  async run({ reader, output, io, flags }) {
    const schedules = await (await reader()).schedules(flags);
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
      { none: "There is no schedule: `engine.schedule` sets one." },
    );
    return exitCode("done");
  },
});
