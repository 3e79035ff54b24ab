import type { TestDatabase } from "@lockstep/test-support";
import { createEngine, type Engine, type EngineOptions } from "lockstep";
import { onTestFinished } from "vitest";
import { storyPipelines } from "./story-pipelines.ts";

/** An engine in the test's own process, stopped when the test ends. It works only if the story starts it. */
export function storyEngine(
  db: Pick<TestDatabase, "url">,
  options: Omit<EngineOptions, "databaseUrl"> = {},
): Engine {
  const engine = createEngine({
    pipelines: Object.values(storyPipelines()),
    logger: null,
    ...options,
    databaseUrl: db.url,
  });
  onTestFinished(() => engine.stop());
  return engine;
}
