import { measureServer } from "@lockstep/database";
import { type Clock, createEngine, definePipeline, type Engine } from "lockstep";
import { type Measurement, measurement } from "./measurement.ts";

/** No other program uses this name for a pipeline; everything under it is removed afterwards. */
export const benchPipeline = definePipeline<number>("lockstep-bench", {}).stage(
  "only",
  { processors: 100 },
  ({ payload }) => payload,
);

export interface BenchParts {
  readonly databaseUrl: string;
  readonly schema: string;
  /** About how long all of it may take. */
  readonly lengthMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onProgress: (share: number, what: string) => void;
}

const batchSize = 500;
const windowMs = 250;
const serverSamples = 100;
/** How much of the time each part may take. */
const shares = { add: 0.25, work: 0.45, wait: 0.25 };

/** Adds for a while, works off for a while, then sends single jobs through an idle worker. */
export async function runBench(parts: BenchParts): Promise<Measurement[]> {
  const { databaseUrl, schema, onProgress, signal } = parts;
  onProgress(0, "the server alone");
  const server = await measureServer({ databaseUrl, samples: serverSamples });
  const engine = createEngine({
    databaseUrl,
    schema,
    pipelines: [benchPipeline],
    workerName: "bench",
    logger: null,
  });
  try {
    const added = await measureAdds(engine, parts);
    const worked = signal.aborted ? [] : await measureWork(engine, parts);
    const waited = signal.aborted ? [] : await measureSingleJobs(engine, parts);
    return [
      ...measurement("round trip of an empty statement", "ms", server.roundTripMs),
      ...measurement("commit of a tiny record", "ms", server.commitMs),
      ...measurement(`add, ${batchSize} at a time`, "jobs/s", added),
      ...measurement("drain, 1 worker, 100 processors", "jobs/s", worked),
      ...measurement("add to completed, one job at a time", "ms", waited),
    ];
  } finally {
    await engine.stop();
  }
}

async function measureAdds(
  engine: Engine,
  { clock, lengthMs, signal, onProgress }: BenchParts,
): Promise<number[]> {
  const items = Array.from({ length: batchSize }, (_, index) => ({ payload: index }));
  // The first call makes the pipeline known.
  await engine.addMany(benchPipeline, items);
  const rates: number[] = [];
  const limitMs = lengthMs * shares.add;
  const beganMs = clock.monotonicMs();
  for (let spentMs = 0; spentMs < limitMs && !signal.aborted; spentMs = clock.monotonicMs() - beganMs) {
    const sentMs = clock.monotonicMs();
    await engine.addMany(benchPipeline, items);
    rates.push((1_000 * batchSize) / (clock.monotonicMs() - sentMs));
    onProgress((shares.add * spentMs) / limitMs, "adding");
  }
  return rates;
}

/** Until nothing is left, or the time is over. */
async function measureWork(
  engine: Engine,
  { clock, lengthMs, signal, onProgress }: BenchParts,
): Promise<number[]> {
  let completed = 0;
  engine.on("job.completed", () => {
    completed += 1;
  });
  await engine.start();
  const rates: number[] = [];
  const limitMs = lengthMs * shares.work;
  const beganMs = clock.monotonicMs();
  let lastMs = beganMs;
  for (let before = 0; lastMs - beganMs < limitMs && !signal.aborted; ) {
    await clock.sleep(windowMs, signal);
    const nowMs = clock.monotonicMs();
    const done = completed - before;
    const isOver = done === 0 && before > 0;
    // The last window is only partly filled.
    if (isOver) rates.pop();
    else if (done > 0) rates.push((1_000 * done) / (nowMs - lastMs));
    if (isOver) break;
    [before, lastMs] = [completed, nowMs];
    onProgress(shares.add + (shares.work * (nowMs - beganMs)) / limitMs, `working, ${completed} jobs done`);
  }
  return rates;
}

async function measureSingleJobs(
  engine: Engine,
  { clock, lengthMs, signal, onProgress }: BenchParts,
): Promise<number[]> {
  const times: number[] = [];
  const limitMs = lengthMs * shares.wait;
  const beganMs = clock.monotonicMs();
  for (let spentMs = 0; spentMs < limitMs && !signal.aborted; spentMs = clock.monotonicMs() - beganMs) {
    const sentMs = clock.monotonicMs();
    // Ahead of what is left of the backlog.
    const { id } = await engine.add(benchPipeline, 0, { priority: 1 });
    await engine.result(id, { timeoutMs: 30_000 });
    times.push(clock.monotonicMs() - sentMs);
    onProgress(1 - shares.wait + (shares.wait * spentMs) / limitMs, "single jobs");
  }
  return times;
}
