import type { EngineEvents } from "../../events/engine-events.ts";
import type { WorkStage } from "../../jobs/pipelines/work-stage.ts";

/** Tells that a job is through a stage: with its last one it is completed, with any other it goes on. */
export function tellDone(events: EngineEvents, jobId: string, stage: WorkStage, durationMs: number): void {
  if (!events.hasListeners(stage.nextId === null ? "job.completed" : "job.advanced")) return;
  const { pipeline, definition } = stage;
  const about = { jobId, pipeline: pipeline.name, stage: definition.name, durationMs };
  const next = pipeline.stages[pipeline.stages.indexOf(definition) + 1];
  if (next === undefined) events.emit("job.completed", about);
  else events.emit("job.advanced", { ...about, nextStage: next.name });
}

/** The same for a stage whose handler did not run. */
export function tellSkipped(events: EngineEvents, jobId: string, stage: WorkStage, durationMs: number): void {
  const { pipeline, definition } = stage;
  const about = { jobId, pipeline: pipeline.name, stage: definition.name };
  const next = pipeline.stages[pipeline.stages.indexOf(definition) + 1];
  events.emit("job.skipped", { ...about, nextStage: next?.name ?? null });
  if (next === undefined) events.emit("job.completed", { ...about, durationMs });
}
