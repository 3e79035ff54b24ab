import type { AnyPipeline } from "lockstep";

/** The pipelines that a module exports, singly or in arrays, each once. */
export function exportedPipelines(exports: object): AnyPipeline[] {
  const found = new Set<AnyPipeline>();
  for (const value of Object.values(exports)) {
    for (const each of Array.isArray(value) ? value : [value, ...fromDefault(value)]) {
      if (isPipeline(each)) found.add(each);
    }
  }
  return [...found];
}

/** A CommonJS module comes whole, as the default of what was imported. */
function fromDefault(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null || isPipeline(value)) return [];
  return Object.getPrototypeOf(value) === Object.prototype ? Object.values(value).flat() : [];
}

/** By its shape: the file may have imported another copy of the library. */
function isPipeline(value: unknown): value is AnyPipeline {
  const { name, stages, settings } = (value ?? {}) as Partial<AnyPipeline>;
  return (
    typeof name === "string" &&
    typeof settings === "object" &&
    Array.isArray(stages) &&
    stages.every((stage) => typeof (stage?.handler ?? stage?.wait?.kind) !== "undefined")
  );
}
