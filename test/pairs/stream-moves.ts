import type { Claim } from "../model/model-job.ts";
import type { Written } from "../model/model-stream.ts";
import {
  add,
  cancel,
  claim,
  complete,
  fail,
  fresh,
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

const write = (
  held: Claim,
  { after, text }: { after: number | null; text: string },
  name: string,
  scene: readonly PairMove[],
): PairMove => ({
  name,
  scene,
  // Somebody else had locked the job: a worker sends it again.
  isPutOff: (answer) => (answer as Written).answer === "busy",
  real: (queue) => queue.writeStream(held, after, [text]),
  model: (model) => model.writeStream(held, after, [text]),
});

const goOn = (held: Claim, scene: readonly PairMove[]): PairMove => ({
  name: "going on",
  scene,
  real: (queue) => queue.continueStream(held),
  model: (model) => model.continueStream(held),
});

/** A worker has the job, and has written nothing yet. */
const silent = [add(job, []), register(late), claim(late, [])];
/** It has written something. */
const telling = [...silent, write(late, { after: null, text: "once" }, "write", [])];
/** Its lease is over, and nobody has noticed yet. */
const quiet = [...telling, tick(35_000), register(fresh), register(next)];
/** Another worker has the job, and has written nothing yet. */
const again = [...quiet, sweep([]), claim(next, [])];
/** It has been written to for longer than streams are kept. */
const old = [...telling, tick(3 * 86_400_000), register(fresh)];
/** The job is in its next stage, in which a worker has written too. */
const inNextStage = [
  ...telling,
  complete(late, "advance", []),
  register(next),
  claim(next, []),
  write(next, { after: null, text: "upon a time" }, "write", []),
];
const failed = [...inNextStage, fail(next, "give_up", [])];

/** The moves on a job that is written about, and on what was written. */
export const streamMoves: readonly PairMove[] = [
  write(late, { after: null, text: "first" }, "first write", silent),
  write(late, { after: 1, text: "next" }, "next write", telling),
  write(late, { after: 1, text: "late" }, "write of a worker that is late", quiet),
  write(next, { after: null, text: "anew" }, "write of the next attempt", again),
  write(next, { after: 2, text: "more" }, "write of the next stage", inNextStage),
  goOn(next, again),
  complete(late, "settle", telling),
  complete(next, "settle of the next attempt", again),
  fail(late, "retry", telling),
  cancel(telling),
  { ...cancel([...quiet, sweep([])]), name: "cancel while it waits" },
  claim({ ...fresh, token: id(33) }, [...quiet, sweep([])]),
  sweep(quiet),
  { ...retry(0, failed), name: "retry from the stage before" },
  { ...prune(old), name: "retention" },
];
