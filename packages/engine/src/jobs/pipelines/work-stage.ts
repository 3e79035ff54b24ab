import { type AnyPipeline, isWait, type StageDefinition } from "./pipeline.ts";

/** A stage this worker serves, with the number the database knows it by. */
export interface WorkStage {
  readonly id: number;
  readonly pipeline: AnyPipeline;
  readonly definition: StageDefinition;
  /** The stage before it, whose output its handler is given; a sleep has none. A branch's first stage gets that of its parent. */
  readonly previous: string | null;
  readonly nextId: number | null;
  /** How long a job waits in the next stage; null: that is no wait, or one without an end. */
  readonly nextWaitMs: number | null;
}

export function stageKey(stage: Pick<WorkStage, "pipeline" | "definition">): string {
  return `${stage.pipeline.name}/${stage.definition.name}`;
}

/** How many jobs of a stage one of its processors takes at a time. */
export function jobsPerCall({ definition }: Pick<WorkStage, "definition">): number {
  return definition.batch?.size ?? 1;
}

/** The keys of all stages of these pipelines that this worker is to serve; names as null: all. */
export function servedKeys(pipelines: readonly AnyPipeline[], names: readonly string[] | null): string[] {
  const keys = pipelines.flatMap((pipeline) =>
    pipeline.stages.flatMap((definition) => (isWait(definition) ? [] : [stageKey({ pipeline, definition })])),
  );
  return names === null ? keys : keys.filter((key) => names.includes(key));
}

/**
 * The stages of a pipeline that this worker serves; `ids` tells each stage's number by its name. One without a number
 * is a stage that the newer definition in the database never had: no job can stand there.
 */
export function workStagesOf(pipeline: AnyPipeline, ids: ReadonlyMap<string, number>): WorkStage[] {
  const idOf = (index: number) => ids.get(pipeline.stages[index]?.name ?? "") ?? null;
  let previous: string | null = pipeline.outputBefore ?? null;
  return pipeline.stages.flatMap((definition, index) => {
    const id = idOf(index);
    const before = previous;
    if (!isWait(definition) || definition.wait.kind !== "sleep") previous = definition.name;
    if (id === null || isWait(definition)) return [];
    const next = pipeline.stages[index + 1];
    const nextWaitMs = next !== undefined && isWait(next) ? next.wait.waitMs : null;
    return [{ id, pipeline, definition, previous: before, nextId: idOf(index + 1), nextWaitMs }];
  });
}

/** Those of the stages that this worker is to serve; null: all. */
export function servedStages(
  stages: readonly WorkStage[],
  names: readonly string[] | null,
): readonly WorkStage[] {
  return names === null ? stages : stages.filter((stage) => names.includes(stageKey(stage)));
}
