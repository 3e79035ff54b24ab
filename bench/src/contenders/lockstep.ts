import { createEngine, definePipeline, type Engine } from "lockstep";
import type { ContenderModule, Driver, Handle, OpenOptions, Payload } from "../contender.ts";
import { batchesOf } from "./batches.ts";

const jobsPerCall = 10_000;
const tunedProcessors = 100;
const unfinished = new Set(["scheduled", "pending", "processing", "retrying"]);

export const contender: ContenderModule = {
  history: { table: "lockstep.finished_jobs", fresh: { id: "uuidv7()", claim_token: "gen_random_uuid()" } },
  async install({ url }) {
    const engine = createEngine({ databaseUrl: url });
    await engine.migrate();
    await engine.stop();
  },
  async open({ url, isTuned }: OpenOptions): Promise<Driver> {
    const engines: Engine[] = [];
    const makeEngine = (pipelines: ReturnType<typeof pipelineOf>[]) => {
      const engine = createEngine({ databaseUrl: url, pipelines });
      engines.push(engine);
      return engine;
    };
    // A producer of its own: an engine that adds and works would not need to be woken.
    const pipelines = [pipelineOf(1, {}, ignore), pipelineOf(3, {}, ignore)];
    const producer = makeEngine(pipelines);
    const pipelineFor = (stages: number) =>
      (stages === 1 ? pipelines[0] : pipelines[1]) as (typeof pipelines)[0];
    return {
      async addMany(payloads, stages) {
        for (const batch of batchesOf(payloads, jobsPerCall)) {
          await producer.addMany(
            pipelineFor(stages),
            batch.map((payload) => ({ payload })),
          );
        }
      },
      add: (payload) => producer.add(pipelineFor(1), payload),
      async work({ stages, processors, handle }) {
        const chosen = processors ?? (isTuned ? tunedProcessors : undefined);
        const engine = makeEngine([pipelineOf(stages, { processors: chosen }, handle)]);
        await engine.start();
        return () => engine.stop();
      },
      async isDrained() {
        const counts = await producer.stats();
        return counts.every(({ status, jobs }) => jobs === 0 || !unfinished.has(status));
      },
      async close() {
        await Promise.all(engines.map((engine) => engine.stop()));
      },
    };
  },
};

function pipelineOf(stages: number, options: { processors?: number | undefined }, handle: Handle) {
  if (stages === 1) {
    return definePipeline<Payload>("bench").stage("only", options, ({ payload }) => handle(payload));
  }
  return definePipeline<Payload>("bench-three-stages")
    .stage("first", options, () => undefined)
    .stage("second", options, () => undefined)
    .stage("third", options, ({ payload }) => handle(payload));
}

function ignore(): undefined {
  return undefined;
}
