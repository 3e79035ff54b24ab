import { defineCommand } from "../../command.ts";
import { exitCode } from "../../exit-code.ts";
import { refuseUnknownStage } from "../../known-pipeline.ts";
import { readStagePath } from "../../stage-path.ts";

export const resumeStageCommand = defineCommand({
  name: "stages resume",
  summary: "Lets a paused stage go on, on every worker.",
  examples: [["lockstep stages resume website-analysis/model-analysis", "when the provider is back"]],
  usage: "PIPELINE/STAGE",
  words: { least: 1, most: 1 },
  completes: "stages",
  flags: {},
  async run({ act, reader, output, words: [path = ""] }) {
    const { pipeline, stage } = readStagePath(path);
    await refuseUnknownStage(await reader(), { pipeline, stage });
    const isChanged = await act("stages.resume", (writes) => writes.resume(pipeline, stage));
    await output.record({ pipeline, stage, paused: false, isChanged }, () => [
      `${pipeline}/${stage} ${isChanged ? "goes on" : "was not paused"}.`,
    ]);
    return exitCode("done");
  },
});
