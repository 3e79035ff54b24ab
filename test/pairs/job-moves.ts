import {
  add,
  cancel,
  claim,
  complete,
  fail,
  fresh,
  held,
  id,
  job,
  late,
  next,
  type PairMove,
  prune,
  register,
  retry,
  sweep,
  tick,
} from "./pair-moves.ts";

/** A worker holds the job in its last stage; its lease is over, and nobody has noticed yet. */
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

/** The twelve moves on one job; the holder's are those of the worker that came too late. */
export const jobMoves: readonly PairMove[] = [
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
  cancel(waiting),
  retry(null, failed),
  prune(failed),
];
