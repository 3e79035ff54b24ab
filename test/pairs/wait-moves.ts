import { waitStage } from "../model/model-job.ts";
import type { NewJob } from "../model/queue-model.ts";
import {
  add,
  cancel,
  claim,
  complete,
  fresh,
  job,
  jobId,
  next,
  type PairMove,
  pause,
  redefine,
  register,
  retry,
  sweep,
  tick,
} from "./pair-moves.ts";

const talk: NewJob = { ...job, dedupKey: null, pipeline: "talks" };
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

const timeOut = (scene: readonly PairMove[]): PairMove => ({
  name: "timeout",
  scene,
  skipsLocked: true,
  // How many it ended is told by the jobs.
  real: async (queue) => void (await queue.endDueWaits()),
  model: (model) => void model.endDueWaits(),
});

const define = (name: string, hasWait: boolean, scene: readonly PairMove[]): PairMove => ({
  name,
  scene,
  real: async (queue) => void (await queue.define("talks", { hasWait })),
  model: (model) => model.define({ hasWait }),
});

/** Its wait was paused, and was signalled then. */
const keptByPause = [...listening, pause(waitStage, true, []), signal([])];
/** It was signalled, and cancelled after that. */
const ended = [...listening, signal([]), cancel([])];
const dropped = define("drop", false, []);

/** The moves on one job that waits. */
export const waitMoves: readonly PairMove[] = [
  signal(listening),
  { ...signal(asking), name: "early signal" },
  timeOut(overdue),
  complete(next, "settle into the wait", asking),
  complete(next, "settle into the wait with a kept signal", [...asking, signal([])]),
  cancel(listening),
  retry(null, ended),
  { ...retry(waitStage - 1, ended), name: "retry from before the wait" },
  sweep(overdue),
  pause(waitStage, true, listening),
  pause(waitStage, false, keptByPause),
  redefine("talks", listening),
  define("redefinition that drops the wait it is in", false, listening),
  define("redefinition that drops a wait that is overdue", false, overdue),
  define("redefinition that drops the wait before it", false, asking),
  define("redefinition that has the wait again", true, [...listening, dropped]),
  define("redefinition that adds a wait before it", true, [...asking, dropped]),
];
