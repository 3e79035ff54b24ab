import { branchMoves } from "./branch-moves.ts";
import { jobMoves } from "./job-moves.ts";
import type { PairMove, PairMoves } from "./pair-moves.ts";
import { streamMoves } from "./stream-moves.ts";
import { waitMoves } from "./wait-moves.ts";

/** A cancel passes over branches that others hold just then; the next sweep finds them. */
const makeUp: PairMove = {
  name: "the rest of the cancel",
  scene: [],
  real: (queue) => queue.cancelLeftBranches(),
  model: () => undefined,
};

export const allPairMoves: readonly PairMoves[] = [
  { subject: "a job", moves: jobMoves },
  { subject: "a job that waits", moves: waitMoves },
  { subject: "a job with branches", moves: branchMoves, after: [makeUp] },
  { subject: "a job with a stream", moves: streamMoves },
];
