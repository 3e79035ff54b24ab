import { allStages, type Claim, waitStage } from "../model/model-job.ts";
import { type NewJob, QueueModel } from "../model/queue-model.ts";
import type { RealQueue } from "../model/real-queue.ts";

/** A move with its arguments, as each side makes it; both answer the same, or something is wrong. */
export interface PairMove {
  readonly name: string;
  /** Where it has something to do. */
  readonly scene: readonly PairMove[];
  /** It passes over what others hold, and looks again later. */
  readonly skipsLocked?: boolean;
  real(queue: RealQueue): Promise<unknown>;
  model(model: QueueModel): unknown;
}

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
const jobId = id(1);
const job: NewJob = { id: jobId, priority: 10, dedupKey: "k", owner: null, inMs: 0, waits: false };
/** The worker that had the job when its lease ended, the one that had it next, and one that is well. */
const late: Claim = { jobId, token: id(11), workerId: id(12) };
const next: Claim = { jobId, token: id(21), workerId: id(22) };
const fresh: Claim = { jobId, token: id(31), workerId: id(32) };

const tick = (ms: number): PairMove => ({
  name: "tick",
  scene: [],
  real: async (queue) => {
    queue.nowMs += ms;
  },
  model: (model) => {
    model.nowMs += ms;
  },
});

const register = ({ workerId }: Claim): PairMove => ({
  name: "register",
  scene: [],
  real: (queue) => queue.register(workerId),
  model: (model) => model.register(workerId),
});

const add = (added: NewJob, scene: readonly PairMove[]): PairMove => ({
  name: "add of a twin",
  scene,
  real: (queue) => queue.add([added]),
  model(model) {
    const known = model.inTheWayOf(added);
    if (known) return [{ id: known.id, created: false, status: known.status }];
    model.add(added, added.id ?? "");
    return [{ id: added.id, created: true, status: "pending" }];
  },
});

const claim = ({ workerId, token }: Claim, scene: readonly PairMove[]): PairMove => ({
  name: "claim",
  scene,
  skipsLocked: true,
  // Where their rows are the model does not know.
  real: async (queue) => (await queue.claimUnder(workerId, token)).map((claimed) => ({ ...claimed })),
  model: (model) =>
    model.look(workerId, allStages, 1).flatMap(({ jobs }) =>
      jobs.slice(0, 1).map((one) => {
        const found = model.job(one.id);
        if (found) model.take(found, workerId, token);
        return { jobId: one.id, token, workerId };
      }),
    ),
});

const complete = (held: Claim, name: string, scene: readonly PairMove[]): PairMove => ({
  name,
  scene,
  real: (queue) => queue.complete(held),
  model: (model) => model.settle(held, { outcome: "done" }),
});

const fail = (held: Claim, outcome: "retry" | "give_up", scene: readonly PairMove[]): PairMove => ({
  name: "fail",
  scene,
  real: (queue) => queue.fail(held, { outcome }),
  model: (model) => model.settle(held, { outcome }),
});

const sweep = (scene: readonly PairMove[]): PairMove => ({
  name: "sweep",
  scene,
  skipsLocked: true,
  real: (queue) => queue.sweep(),
  model: (model) => model.sweep(),
});

/** A worker holds the job in its first stage; its lease is over, and nobody has noticed yet. */
const held = [add(job, []), register(late), claim(late, []), tick(35_000), register(fresh)];
/** The same in the last stage. */
const heldAtLast = [
  add(job, []),
  register(next),
  ...[41, 42]
    .map((number) => ({ ...next, token: id(number) }))
    .flatMap((passing) => [claim(passing, []), complete(passing, "advance", [])]),
  register(late),
  claim(late, []),
  tick(35_000),
  register(fresh),
];
/** It was taken back, and waits. */
const waiting = [...held, sweep([])];
/** It was claimed by another worker, which gave it up, long ago. */
const failed = [
  ...waiting,
  register(next),
  claim(next, []),
  fail(next, "give_up", []),
  tick(2 * 86_400_000),
  register(fresh),
];

const keepMs = 3_600_000;

/** The twelve moves on one job; the holder's are those of the worker that came too late. */
export const pairMoves: readonly PairMove[] = [
  add({ ...job, id: id(2) }, failed),
  claim(fresh, waiting),
  {
    name: "heartbeat",
    scene: held,
    real: (queue) => queue.heartbeat(late.workerId),
    model: (model) => model.heartbeat(late.workerId),
  },
  {
    name: "progress",
    scene: held,
    real: (queue) => queue.progress(late, 50),
    model: (model) => model.progress(late, 50),
  },
  complete(late, "advance", held),
  complete(late, "complete", heldAtLast),
  fail(late, "retry", held),
  {
    name: "release",
    scene: held,
    real: (queue) => queue.release(late),
    model: (model) => model.settle(late, { outcome: "release" }),
  },
  sweep(held),
  {
    name: "cancel",
    scene: waiting,
    real: (queue) => queue.cancel(jobId),
    model: (model) => model.cancel(jobId),
  },
  {
    name: "retry",
    scene: failed,
    real: (queue) => queue.retry(jobId, null),
    model: (model) => model.retry(jobId, null),
  },
  {
    name: "prune",
    scene: failed,
    skipsLocked: true,
    real: (queue) => queue.prune(keepMs),
    model(model) {
      for (const { id: known, finishedAtMs } of model.jobs) {
        if (finishedAtMs !== null && finishedAtMs < model.nowMs - keepMs) model.forget(known);
      }
    },
  },
];

const talk: NewJob = { ...job, dedupKey: null, waits: true };
/** A worker holds a job in the stage before its wait. */
const asking = [add(talk, []), register(next), claim(next, [])];
/** It waits for its signal. */
const listening = [...asking, complete(next, "advance", [])];
/** And has waited for too long, which nobody has noticed yet. */
const overdue = [...listening, tick(60_000), register(fresh)];

const signal = (scene: readonly PairMove[]): PairMove => ({
  name: "signal",
  scene,
  real: (queue) => queue.signal(jobId, "yes"),
  model: (model) => model.signal(jobId, "yes"),
});

const pause = (isPaused: boolean, scene: readonly PairMove[]): PairMove => ({
  name: isPaused ? "pause" : "resume",
  scene,
  real: (queue) => queue.setPaused(waitStage, isPaused),
  model: (model) => model.setPaused(waitStage, isPaused),
});

const retry = (from: number | null, scene: readonly PairMove[]): PairMove => ({
  name: from === null ? "retry" : "retry from before the wait",
  scene,
  real: (queue) => queue.retry(jobId, from),
  model: (model) => model.retry(jobId, from),
});

const cancel = (scene: readonly PairMove[]): PairMove => ({
  name: "cancel",
  scene,
  real: (queue) => queue.cancel(jobId),
  model: (model) => model.cancel(jobId),
});

const timeOut = (scene: readonly PairMove[]): PairMove => ({
  name: "timeout",
  scene,
  skipsLocked: true,
  // How many it ended is told by the jobs.
  real: async (queue) => void (await queue.endDueWaits()),
  model: (model) => void model.endDueWaits(),
});

/** Its wait was paused, and was signalled then. */
const keptByPause = [...listening, pause(true, []), signal([])];
/** It was signalled, and cancelled after that. */
const ended = [...listening, signal([]), cancel([])];

let redefinitions = 0;

/** The moves on one job that waits. */
export const waitMoves: readonly PairMove[] = [
  signal(listening),
  { ...signal(asking), name: "early signal" },
  timeOut(overdue),
  complete(next, "settle into the wait", asking),
  complete(next, "settle into the wait with a kept signal", [...asking, signal([])]),
  cancel(listening),
  retry(null, ended),
  retry(waitStage - 1, ended),
  sweep(overdue),
  pause(true, listening),
  pause(false, keptByPause),
  {
    name: "redefinition",
    scene: listening,
    // The hash of the definition differs each time, and all rows of its stages are written.
    async real(queue) {
      redefinitions += 1;
      await queue.define("talks", { maxPending: 1_000_000 + redefinitions });
    },
    model: () => undefined,
  },
];

/** What the model answers to moves made one after the other, and where that ends. */
export function inOrder(
  moves: readonly PairMove[],
  scene: readonly PairMove[],
): { answers: unknown[]; model: QueueModel } {
  const model = new QueueModel();
  for (const move of scene) move.model(model);
  return { answers: moves.map((move) => move.model(model)), model };
}
