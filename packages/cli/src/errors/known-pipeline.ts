import type { JobFilter, PipelineInfo, Reader } from "lockstep";
import { unknownName } from "./unknown-name.ts";

/** The pipeline of this name, as the database knows it; refuses with exit code 4 and the nearest name. */
export async function knownPipeline(reader: Pick<Reader, "pipelines">, name: string): Promise<PipelineInfo> {
  const pipelines = await reader.pipelines();
  const found = pipelines.find((pipeline) => pipeline.name === name);
  if (found !== undefined) return found;
  const names = pipelines.map((pipeline) => pipeline.name);
  throw unknownName({
    kind: "pipeline",
    message: `There is no pipeline "${name}".`,
    name,
    names,
    advice:
      names.length === 0
        ? "A worker defines its pipelines when it starts: run `lockstep work` or `lockstep dev`."
        : "Run `lockstep pipelines` to list them.",
  });
}

/** Refuses a filter by a name that does not exist. An empty list would look like an answer. */
export async function refuseUnknownNames(
  reader: Pick<Reader, "pipelines">,
  { pipeline, stage }: Pick<JobFilter, "pipeline" | "stage">,
): Promise<void> {
  if (stage === undefined) {
    if (pipeline !== undefined) await knownPipeline(reader, pipeline);
    return;
  }
  if (pipeline !== undefined) return await refuseUnknownStage(reader, { pipeline, stage });
  const names = (await reader.pipelines()).flatMap(({ stages }) => stages.map(({ name }) => name));
  if (names.includes(stage)) return;
  throw unknownName({
    kind: "stage",
    message: `No pipeline has a stage "${stage}".`,
    name: stage,
    names,
    advice: "Run `lockstep pipelines` to list them.",
  });
}

/** Refuses a stage that does not exist, with exit code 4 and the nearest name. */
export async function refuseUnknownStage(
  reader: Pick<Reader, "pipelines">,
  { pipeline, stage }: { readonly pipeline: string; readonly stage: string },
): Promise<void> {
  const { stages } = await knownPipeline(reader, pipeline);
  const names = stages.map(({ name }) => name);
  if (names.includes(stage)) return;
  throw unknownName({
    kind: "stage",
    message: `The pipeline "${pipeline}" has no stage "${stage}".`,
    name: stage,
    names,
    advice: `It has ${names.join(", ")}.`,
  });
}
