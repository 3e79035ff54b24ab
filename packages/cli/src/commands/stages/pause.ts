import { defineCommand } from "../../command.ts";
import { exitCode } from "../../exit-code.ts";
import { refuseUnknownStage } from "../../known-pipeline.ts";
import { readStagePath } from "../../stage-path.ts";

export const pauseStageCommand = defineCommand({
  name: "stages pause",
  summary: "Stops claims in a stage, on every worker. What runs goes on; what comes waits.",
  examples: [["lockstep stages pause website-analysis/model-analysis", "while a provider is down"]],
  usage: "PIPELINE/STAGE",
  words: { least: 1, most: 1 },
  completes: "stages",
  flags: {},
  async run({ act, reader, output, words: [path = ""] }) {
    const { pipeline, stage } = readStagePath(path);
    await refuseUnknownStage(await reader(), { pipeline, stage });
    const isChanged = await act("stages.pause", (writes) => writes.pause(pipeline, stage));
    await output.record({ pipeline, stage, paused: true, isChanged }, () => [
      `${pipeline}/${stage} ${isChanged ? "is paused" : "was paused already"}.`,
    ]);
    return exitCode("done");
  },
});
