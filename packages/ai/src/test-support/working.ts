import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { TestDatabase } from "@lockstep/test-support";
import { type AnyPipeline, createEngine, type Engine } from "lockstep";
import { onTestFinished } from "vitest";
import type { ModelServer } from "./model-server.ts";

/** An engine that works on these pipelines until the test ends. */
export async function aWorker(db: Pick<TestDatabase, "url">, ...pipelines: AnyPipeline[]): Promise<Engine> {
  const engine = createEngine({ databaseUrl: db.url, pipelines, logger: null });
  onTestFinished(() => engine.stop());
  await engine.start();
  return engine;
}

/** A model as anybody has it from the AI SDK. */
export function modelAt({ url }: Pick<ModelServer, "url">) {
  const provider = createOpenAICompatible({
    name: "own",
    baseURL: url,
    apiKey: "key-1",
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
  return provider("own-model");
}

/** Failed attempts are made up for at once. */
export const soon = { retry: { kind: "constant", baseMs: 1 }, maxAttempts: 3 } as const;
