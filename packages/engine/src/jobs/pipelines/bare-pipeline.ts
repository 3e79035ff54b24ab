import type { AnyPipeline } from "./pipeline.ts";
import { checkName } from "./speakable-name.ts";

/** A pipeline of which only the name is known: what another process has defined. */
export function barePipeline(name: string): AnyPipeline {
  checkName("pipeline", name);
  return { name, payload: null, settings: { version: 1, events: false }, stages: [] };
}
