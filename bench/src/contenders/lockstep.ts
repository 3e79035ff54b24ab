import { type AddOptions, createEngine, definePipeline, type Engine, type StageOptions } from "lockstep";
import pg from "pg";
import { batchesOf } from "./batches.ts";
import type { ContenderModule, Driver, Handle, OpenOptions, Payload } from "./contender.ts";

const jobsPerCall = 10_000;
const tunedProcessors = 100;

/** What its stages and its jobs have beyond a name and a payload. */
export interface LockstepExtras {
  readonly stage?: Pick<StageOptions, "concurrency" | "groupConcurrency">;
  readonly add?: (payload: Payload) => AddOptions;
}

export const contender = lockstepWith({});

export function lockstepWith({ stage = {}, add = () => ({}) }: LockstepExtras): ContenderModule {
  return {
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
      const pipelines = [pipelineOf(1, stage, ignore), pipelineOf(3, stage, ignore)];
      const producer = makeEngine(pipelines);
      // Asked whether all is done in the way the others are: not by counters that only Lockstep has.
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const pipelineFor = (stages: number) =>
        (stages === 1 ? pipelines[0] : pipelines[1]) as (typeof pipelines)[0];
      return {
        async addMany(payloads, stages) {
          for (const batch of batchesOf(payloads, jobsPerCall)) {
            await producer.addMany(
              pipelineFor(stages),
              batch.map((payload) => ({ payload, ...add(payload) })),
            );
          }
        },
        add: (payload) => producer.add(pipelineFor(1), payload, add(payload)),
        async work({ stages, processors, handle }) {
          const chosen = processors ?? (isTuned ? tunedProcessors : undefined);
          const engine = makeEngine([pipelineOf(stages, { ...stage, processors: chosen }, handle)]);
          await engine.start();
          return () => engine.stop();
        },
        async isDrained() {
          const { rows } = await client.query("select not exists (select from lockstep.jobs) as yes");
          return rows[0].yes;
        },
        async close() {
          await Promise.all(engines.map((engine) => engine.stop()));
          await client.end();
        },
      };
    },
  };
}

function pipelineOf(stages: number, options: StageOptions, handle: Handle) {
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
