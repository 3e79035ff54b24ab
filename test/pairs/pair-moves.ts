import { allStages, type Claim } from "../model/model-job.ts";
import { type NewJob, QueueModel } from "../model/queue-model.ts";
import type { RealQueue } from "../model/real-queue.ts";

/** A move with its arguments, as each side makes it; both answer the same, or something is wrong. */
export interface PairMove {
  readonly name: string;
  /** Where it has something to do. */
  readonly scene: readonly PairMove[];
  /** It passes over what others hold, and looks again later. */
  readonly skipsLocked?: boolean;
  /** Whether it was told to come again later. */
  isPutOff?(answer: unknown): boolean;
  real(queue: RealQueue): Promise<unknown>;
  model(model: QueueModel): unknown;
}

/** Moves of which each meets each. */
export interface PairMoves {
  /** What they are about, in the title of a test. */
  readonly subject: string;
  readonly moves: readonly PairMove[];
  /** What makes up, after each meeting, for what one of the two has passed over. */
  readonly after?: readonly PairMove[];
}

export const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
export const jobId = id(1);
export const job: NewJob = {
  id: jobId,
  priority: 10,
  dedupKey: "k",
  owner: null,
  inMs: 0,
  pipeline: "orders",
};
/** The worker that had the job when its lease ended, the one that had it next, and one that is well. */
export const late: Claim = { jobId, token: id(11), workerId: id(12) };
export const next: Claim = { jobId, token: id(21), workerId: id(22) };
export const fresh: Claim = { jobId, token: id(31), workerId: id(32) };

export const tick = (ms: number): PairMove => ({
  name: "tick",
  scene: [],
  real: async (queue) => {
    queue.nowMs += ms;
  },
  model: (model) => {
    model.nowMs += ms;
  },
});

export const register = ({ workerId }: Claim): PairMove => ({
  name: "register",
  scene: [],
  real: (queue) => queue.register(workerId),
  model: (model) => model.register(workerId),
});

export const add = (added: NewJob, scene: readonly PairMove[]): PairMove => ({
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

export const claim = ({ workerId, token }: Claim, scene: readonly PairMove[]): PairMove => ({
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

export const complete = (held: Claim, name: string, scene: readonly PairMove[]): PairMove => ({
  name,
  scene,
  real: (queue) => queue.complete(held),
  model: (model) => model.settle(held, { outcome: "done" }),
});

export const fail = (held: Claim, outcome: "retry" | "give_up", scene: readonly PairMove[]): PairMove => ({
  name: "fail",
  scene,
  real: (queue) => queue.fail(held, { outcome }),
  model: (model) => model.settle(held, { outcome }),
});

export const sweep = (scene: readonly PairMove[]): PairMove => ({
  name: "sweep",
  scene,
  skipsLocked: true,
  real: (queue) => queue.sweep(),
  model: (model) => model.sweep(),
});

export const cancel = (scene: readonly PairMove[]): PairMove => ({
  name: "cancel",
  scene,
  real: (queue) => queue.cancel(jobId),
  model: (model) => model.cancel(jobId),
});

export const retry = (from: number | null, scene: readonly PairMove[]): PairMove => ({
  name: "retry",
  scene,
  real: (queue) => queue.retry(jobId, from),
  model: (model) => model.retry(jobId, from),
});

export const pause = (stage: number, isPaused: boolean, scene: readonly PairMove[]): PairMove => ({
  name: isPaused ? "pause" : "resume",
  scene,
  real: (queue) => queue.setPaused(stage, isPaused),
  model: (model) => model.setPaused(stage, isPaused),
});

let redefinitions = 0;

/** Nothing differs but the hash of the definition, and all rows of the stages are written. */
export const redefine = (pipeline: string, scene: readonly PairMove[]): PairMove => ({
  name: "redefinition",
  scene,
  async real(queue) {
    redefinitions += 1;
    await queue.define(pipeline, { maxPending: 1_000_000 + redefinitions });
  },
  model: () => undefined,
});

const keepMs = 3_600_000;

export const prune = (scene: readonly PairMove[]): PairMove => ({
  name: "prune",
  scene,
  skipsLocked: true,
  real: (queue) => queue.prune(keepMs),
  model(model) {
    const keptFromMs = model.nowMs - keepMs;
    model.forgetStreams(keptFromMs);
    for (const { id: known, finishedAtMs } of model.jobs) {
      if (finishedAtMs !== null && finishedAtMs < keptFromMs) model.forget(known);
    }
  },
});

/** A worker holds the job in its first stage; its lease is over, and nobody has noticed yet. */
export const held = [add(job, []), register(late), claim(late, []), tick(35_000), register(fresh)];

/** What the model answers to moves made one after the other, and where that ends. */
export function inOrder(
  moves: readonly PairMove[],
  scene: readonly PairMove[],
): { answers: unknown[]; model: QueueModel } {
  const model = new QueueModel();
  const make = (move: PairMove) => {
    model.turn += 1;
    return move.model(model);
  };
  for (const move of scene) make(move);
  return { answers: moves.map(make), model };
}
