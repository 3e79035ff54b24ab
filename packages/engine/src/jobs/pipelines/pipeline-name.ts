import type { AnyPipeline } from "./pipeline.ts";

/** Callers may give a pipeline of another process by its name. */
export function pipelineName(pipeline: AnyPipeline | string): string {
  return typeof pipeline === "string" ? pipeline : pipeline.name;
}
