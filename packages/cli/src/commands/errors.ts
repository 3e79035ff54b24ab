import { errorSorts } from "lockstep/internal";
import { defineCommand } from "../command-line/command.ts";
import { refuseUnknownNames } from "../errors/known-pipeline.ts";
import { timeText } from "../output/time-text.ts";
import { exitCode } from "../session/exit-code.ts";

export const errorsCommand = defineCommand({
  name: "errors",
  aliases: ["errors list"],
  summary: "Lists the errors that jobs failed with, grouped by stage and kind, latest first.",
  examples: [
    ["lockstep errors --since 24h", "what went wrong recently, and how often"],
    ["lockstep jobs retry --filter error:$FINGERPRINT", "retry all jobs with one kind of error"],
  ],
  flags: {
    pipeline: { type: "text", placeholder: "NAME", completes: "pipelines", sentence: "Only this pipeline." },
    stage: { type: "text", placeholder: "STAGE", sentence: "Only this stage of the pipeline." },
    since: {
      type: "time",
      placeholder: "TIME",
      sentence: "Only jobs that failed since then: 24h, or 2027-01-31T09:00:00Z.",
    },
    limit: { type: "number", least: 1, most: 1_000, sentence: "At most this many kinds; default 100." },
    sort: {
      type: "text",
      placeholder: "ORDER",
      choices: errorSorts,
      sentence: "-lastAt (latest first) or -jobs (most jobs first).",
    },
  },
  async run({ reader, output, io, flags }) {
    const { pipeline, stage, since, limit, sort } = flags;
    const queue = await reader();
    if (pipeline !== undefined) await refuseUnknownNames(queue, { pipeline, stage });
    const kinds = await queue.errors({ pipeline, stage, since, limit, sort });
    const time = (at: Date) => timeText(at, io.clock.now(), output.isForPeople);
    const { red, dim } = output.paint;
    await output.list(
      kinds,
      [
        { title: "JOBS", cell: ({ jobs, capped }) => `${jobs}${capped ? "+" : ""}`, align: "right" },
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
      { none: pipeline === undefined && since === undefined ? "No job has failed." : "No failure matches." },
    );
    if (kinds.some(({ capped }) => capped)) {
      output.note("A number with a plus counts only the newest failures: there are at least that many.");
    }
    return exitCode("done");
  },
});
