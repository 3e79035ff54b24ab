import type { TestDatabase } from "@lockstep/test-support";
import {
  type AddItem,
  type AnyPipeline,
  createEngine,
  definePipeline,
  type EngineOptions,
  type PipelineInput,
} from "lockstep";
import { unhurriedClock } from "./unhurried-clock.ts";

/** A hundred bytes as JSON. */
export const payload = { text: "x".repeat(89) };
type Payload = typeof payload;

export const oneStage = definePipeline<Payload>("one-stage").stage("run", () => undefined);
export const threeStages = definePipeline<Payload>("three-stages")
  .stage("first", () => 1)
  .stage("second", () => 2)
  .stage("third", () => 3);

export function jobs(count: number): AddItem<Payload>[] {
  return Array.from({ length: count }, () => ({ payload }));
}

/** Adds by an engine of its own, whose connections are closed afterwards. */
export async function addJobs<P extends AnyPipeline>(
  db: TestDatabase,
  pipeline: P,
  items: readonly AddItem<PipelineInput<P>>[],
): Promise<void> {
  const engine = createEngine({ databaseUrl: db.url, pipelines: [pipeline], logger: null });
  await engine.addMany(pipeline, items);
  await engine.stop();
}

/** One worker with default settings, stopped when this many jobs are completed. Says how often it claimed one. */
export async function drain(
  db: TestDatabase,
  pipeline: AnyPipeline,
  count: number,
  options: Partial<EngineOptions> = {},
): Promise<{ claims: number }> {
  const engine = createEngine({
    databaseUrl: db.url,
    pipelines: [pipeline],
    logger: null,
    clock: unhurriedClock(),
    ...options,
  });
  let claims = 0;
  let completed = 0;
  engine.on("job.claimed", () => {
    claims += 1;
  });
  const drained = new Promise<void>((resolve, reject) => {
    engine.on("engine.error", ({ error }) => reject(error));
    engine.on("job.completed", () => {
      completed += 1;
      if (completed === count) resolve();
    });
  });
  try {
    await engine.start();
    await within(100_000, drained, () => `Only ${completed} of ${count} jobs were completed within 100 s.`);
  } finally {
    await engine.stop();
  }
  return { claims };
}

async function within(limitMs: number, awaited: Promise<void>, complaint: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint())), limitMs);
  });
  await Promise.race([awaited, limit]).finally(() => clearTimeout(timer));
}
