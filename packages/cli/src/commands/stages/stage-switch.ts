import type { Command } from "../../command-line/command.ts";
import { readStagePath } from "../../command-line/stage-path.ts";
import { refuseUnknownStage } from "../../errors/known-pipeline.ts";
import { type PauseVerb, pauseSwitch } from "../pause-switch.ts";

/** A command that pauses a stage or resumes it. */
export function stageSwitch(verb: PauseVerb, texts: Pick<Command, "summary" | "examples">): Command {
  return pauseSwitch(
    {
      plural: "stages",
      usage: "PIPELINE/STAGE",
      async find(path, reader) {
        const { pipeline, stage } = readStagePath(path);
        await refuseUnknownStage(reader, { pipeline, stage });
        return {
          name: `${pipeline}/${stage}`,
          record: { pipeline, stage, paused: verb === "pause" },
          set: (writes) => writes[verb](pipeline, stage),
        };
      },
    },
    verb,
    texts,
  );
}
