import type { AnyPipeline } from "lockstep";

/** The same pipeline with so many processors in each of its stages. */
export function withProcessors(pipeline: AnyPipeline, processors: number): AnyPipeline {
  return {
    name: pipeline.name,
    payload: pipeline.payload,
    settings: pipeline.settings,
    stages: pipeline.stages.map((stage) =>
      "options" in stage ? { ...stage, options: { ...stage.options, processors } } : stage,
    ),
  };
}
