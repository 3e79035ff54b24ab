import { defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";
import { timeText } from "../time-text.ts";

export const errorsCommand = defineCommand({
  name: "errors",
  aliases: ["errors list"],
  summary: "Groups what jobs failed with by stage and kind of error, the latest first.",
  examples: [
    ["lockstep errors --since 24h", "what went wrong of late, and how often"],
    ["lockstep jobs retry --filter error:$FINGERPRINT", "all jobs of one kind of error again"],
  ],
  flags: {
    pipeline: { type: "text", placeholder: "NAME", completes: "pipelines", sentence: "Only this pipeline." },
    stage: { type: "text", placeholder: "STAGE", sentence: "Only this stage of the pipeline." },
    since: {
      type: "time",
      placeholder: "TIME",
      sentence: "Failed since then: 24h, or 2027-01-31T09:00:00Z.",
    },
    limit: { type: "number", least: 1, most: 1_000, sentence: "At most so many kinds; default 100." },
  },
  async run({ reader, output, io, flags }) {
    const { pipeline, stage, since, limit } = flags;
    const kinds = await (await reader()).errors({ pipeline, stage, since, limit });
    const time = (at: Date) => timeText(at, io.clock.now(), output.isForPeople);
    const { red, dim } = output.paint;
    await output.list(
      kinds,
      [
        { title: "JOBS", cell: ({ jobs }) => String(jobs), align: "right" },
        { title: "STAGE", cell: (kind) => `${kind.pipeline}/${kind.stage}`, isElastic: true },
        {
          title: "ERROR",
          cell: ({ name, message }) => `${name ?? "Error"}: ${message ?? ""}`,
          isElastic: true,
          paint: red,
        },
        { title: "FIRST", cell: ({ firstAt }) => time(firstAt) },
        { title: "LAST", cell: ({ lastAt }) => time(lastAt) },
        { title: "FINGERPRINT", cell: ({ fingerprint }) => fingerprint },
        { title: "SAMPLE", cell: ({ sampleId }) => sampleId, paint: dim },
      ],
      { none: "No job has failed." },
    );
    if (kinds.some(({ capped }) => capped)) {
      output.note("There are more failures than were looked at: the numbers are those of the newest.");
    }
    return exitCode("done");
  },
});
