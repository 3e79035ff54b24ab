import { didYouMean, type PipelineInfo, type Reader } from "lockstep";
import { CliError } from "./cli-error.ts";

/** The pipeline of this name, as the database knows it; refuses with exit code 4 and the nearest name. */
export async function knownPipeline(reader: Pick<Reader, "pipelines">, name: string): Promise<PipelineInfo> {
  const pipelines = await reader.pipelines();
  const found = pipelines.find((pipeline) => pipeline.name === name);
  if (found !== undefined) return found;
  const names = pipelines.map((pipeline) => pipeline.name);
  throw new CliError({
    exit: "notFound",
    code: "pipeline.not_found",
    message: `There is no pipeline "${name}".${didYouMean(name, names)}`,
    advice:
      names.length === 0
        ? "A worker defines its pipelines when it starts: run `lockstep work` or `lockstep dev`."
        : "Run `lockstep pipelines` for those there are.",
  });
}

/** Refuses a stage that there is not, with exit code 4 and the nearest one. */
export async function refuseUnknownStage(
  reader: Pick<Reader, "pipelines">,
  { pipeline, stage }: { readonly pipeline: string; readonly stage: string },
): Promise<void> {
  const { stages } = await knownPipeline(reader, pipeline);
  const names = stages.map(({ name }) => name);
  if (names.includes(stage)) return;
  throw new CliError({
    exit: "notFound",
    code: "stage.not_found",
    message: `The pipeline "${pipeline}" has no stage "${stage}".${didYouMean(stage, names)}`,
    advice: `It has ${names.join(", ")}.`,
  });
}
