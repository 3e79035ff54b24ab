import type { PipelineInfo, StageInfo } from "lockstep";
import { defineCommand } from "../../command-line/command.ts";
import { knownPipeline } from "../../errors/known-pipeline.ts";
import { durationText } from "../../output/duration-text.ts";
import type { Output } from "../../output/output.ts";
import type { Column } from "../../output/table.ts";
import { exitCode } from "../../session/exit-code.ts";

export const showPipelineCommand = defineCommand({
  name: "pipelines show",
  aliases: ["pipelines get"],
  summary: "Shows a pipeline: its settings, its stages with their options, and what its payload looks like.",
  examples: [
    ["lockstep pipelines show website-analysis", "everything about it"],
    ["lockstep pipelines show website-analysis --json | jq .payloadSchema", "the schema of its payload"],
  ],
  usage: "PIPELINE",
  words: { least: 1, most: 1 },
  completes: "pipelines",
  flags: {},
  async run({ reader, output, words: [name = ""] }) {
    const pipeline = await knownPipeline(await reader(), name);
    await output.record(pipeline, () => linesOf(pipeline, output));
    return exitCode("done");
  },
});

function linesOf(pipeline: PipelineInfo, output: Output): string[] {
  const { bold, dim } = output.paint;
  const { name, version, maxPending, ageingMs, events, payloadSchema, stages } = pipeline;
  return [
    `${bold(name)}  version ${version}`,
    `  most pending  ${maxPending ?? "no limit"}`,
    `  ageing        ${ageingMs === null ? "none" : durationText(ageingMs)}`,
    `  events        ${events ? "of every job" : "of jobs with an owner"}`,
    "",
    ...output.table(stages, columns(output)),
    ...(payloadSchema === null
      ? []
      : ["", dim("payload"), ...JSON.stringify(payloadSchema, null, 2).split("\n")]),
  ];
}

function columns(output: Output): Column<StageInfo>[] {
  return [
    { title: "STAGE", cell: ({ name }) => name },
    {
      title: "STATE",
      cell: ({ pausedAt }) => (pausedAt === null ? "open" : output.isForPeople ? "‖ paused" : "paused"),
      paint: (text, { pausedAt }) => (pausedAt === null ? text : output.paint.cyan(text)),
    },
    { title: "ATTEMPTS", cell: ({ maxAttempts }) => String(maxAttempts), align: "right" },
    { title: "LOSSES", cell: ({ maxLosses }) => String(maxLosses), align: "right" },
    { title: "TIMEOUT", cell: ({ timeoutMs }) => (timeoutMs === null ? "none" : durationText(timeoutMs)) },
    {
      title: "RETRY",
      cell: ({ retry: { kind, baseMs, capMs } }) =>
        `${kind} ${durationText(baseMs)} to ${durationText(capMs)}`,
      isElastic: true,
    },
  ];
}
