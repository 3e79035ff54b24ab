import { type Claim, firstStage, splitStage } from "../model/model-job.ts";
import type { NewJob } from "../model/queue-model.ts";
import {
  add,
  cancel,
  claim,
  complete,
  fail,
  fresh,
  id,
  job,
  jobId,
  late,
  next,
  type PairMove,
  pause,
  redefine,
  register,
  retry,
  sweep,
  tick,
} from "./pair-moves.ts";

const tree: NewJob = { ...job, dedupKey: null, pipeline: "trees" };
/** The branches of the job in the present meeting: PostgreSQL draws their ids. */
let branchIds: string[] = [];
const branchOf = (number: number, { token, workerId }: Claim): Claim => ({
  get jobId() {
    return branchIds[number] ?? "";
  },
  token,
  workerId,
});
/** If it does not complete, its parent fails. */
const left = branchOf(0, late);
/** If this one does not, its parent goes on without it. */
const right = branchOf(1, late);

const branch = (scene: readonly PairMove[]): PairMove => ({
  name: "branch",
  scene,
  async real(queue) {
    const { answer, childIds } = await queue.branch(next);
    if (childIds.length > 0) branchIds = childIds;
    return answer;
  },
  model: (model) => model.branch(next, branchIds),
});

const cancelBranch = (scene: readonly PairMove[]): PairMove => ({
  name: "cancel of a branch",
  scene,
  real: (queue) => queue.cancel(left.jobId),
  model: (model) => model.cancel(left.jobId),
});

const retryBranch = (branch: Claim, name: string, scene: readonly PairMove[]): PairMove => ({
  name,
  scene,
  real: (queue) => queue.retry(branch.jobId, null),
  model: (model) => model.retry(branch.jobId, null),
});

const forkId = id(3);
const fork = (from: number | null, name: string, scene: readonly PairMove[]): PairMove => ({
  name,
  scene,
  real: (queue) => queue.fork(jobId, from, forkId),
  // Under an id that it was sent with before it is the same fork.
  model: (model) => (model.job(forkId) ? "forked" : model.fork(jobId, from, forkId)),
});

/** A worker holds a job in the stage that branches. */
const splitting = [add(tree, []), register(next), claim(next, [])];
/** Its branches wait to be run. */
const branched = [...splitting, branch([])];
/** A worker holds both. */
const growing = [...branched, register(late), claim(late, [])];
/** And has left one to do. */
const lastOne = [...growing, complete(right, "settle", [])];
/** Its lease is over, and nobody has noticed yet. */
const abandoned = [...growing, tick(35_000), register(fresh)];
/** One has failed, and the job with it; the other was asked to stop. */
const failedByBranch = [...growing, fail(left, "give_up", [])];
/** One has failed, which the job takes no notice of. */
const ignored = [...growing, fail(right, "give_up", [])];
const joining: Claim = { ...next, token: id(23) };
/** The job has what its branches returned, and a worker holds it in the next stage. */
const joined = [...lastOne, complete(left, "settle", []), claim(joining, [])];
/** Where it has failed. */
const failedLater = [...joined, fail(joining, "give_up", [])];
/** And one of its branches, whose failure it had ignored, runs again. */
const failedLaterBesideBranch = [
  ...ignored,
  complete(left, "settle", []),
  claim(joining, []),
  fail(joining, "give_up", []),
  retryBranch(right, "retry", []),
  claim({ ...late, token: id(13) }, []),
];

const leftStage = firstStage("left");

/** The moves on a job with branches, and on these. */
export const branchMoves: readonly PairMove[] = [
  branch(splitting),
  claim(fresh, [...branched, register(fresh)]),
  complete(left, "settle of a branch", growing),
  complete(left, "settle of the last branch", lastOne),
  complete(right, "settle of a branch whose failure is ignored", growing),
  { ...fail(left, "give_up", growing), name: "failure of a branch" },
  cancelBranch(growing),
  { ...cancel(branched), name: "cancel of the parent" },
  { ...cancel(growing), name: "cancel of the parent while its branches run" },
  { ...retry(null, failedByBranch), name: "retry of the parent" },
  { ...retry(splitStage, failedLater), name: "retry from the stage that branched" },
  { ...retry(null, failedLaterBesideBranch), name: "retry beside a branch that runs again" },
  retryBranch(right, "retry of a branch", ignored),
  fork(splitStage + 1, "fork after the branches", failedLater),
  sweep(abandoned),
  pause(leftStage, true, branched),
  { ...redefine("trees", growing), name: "redefinition of the parent" },
];
