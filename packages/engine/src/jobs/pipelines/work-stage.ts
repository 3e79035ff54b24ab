import type { AnyPipeline, StageDefinition } from "./pipeline.ts";

/** A stage this worker serves, with the number the database knows it by. */
export interface WorkStage {
  readonly id: number;
  readonly pipeline: AnyPipeline;
  readonly definition: StageDefinition;
  /** The stage before it, whose output its handler is given; of a branch's first stage, the one before the parallel stage. */
  readonly previous: string | null;
  readonly nextId: number | null;
}

export function stageKey(stage: WorkStage): string {
  return `${stage.pipeline.name}/${stage.definition.name}`;
}

/**
 * The stages of a pipeline that this worker serves; `ids` tells each stage's number by its name. One without a number
 * is a stage that the newer definition in the database never had: no job can stand there.
 */
export function workStagesOf(pipeline: AnyPipeline, ids: ReadonlyMap<string, number>): WorkStage[] {
  const idOf = (index: number) => ids.get(pipeline.stages[index]?.name ?? "") ?? null;
  return pipeline.stages.flatMap((definition, index) => {
    const id = idOf(index);
    if (id === null) return [];
    const previous = (index === 0 ? pipeline.outputBefore : pipeline.stages[index - 1]?.name) ?? null;
    return [{ id, pipeline, definition, previous, nextId: idOf(index + 1) }];
  });
}

/** Those of the stages that this worker is to serve; null: all. */
export function servedStages(
  stages: readonly WorkStage[],
  names: readonly string[] | null,
): readonly WorkStage[] {
  return names === null ? stages : stages.filter((stage) => names.includes(stageKey(stage)));
}
