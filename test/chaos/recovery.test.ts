import { expect, test } from "vitest";
import { type RecoveryParts, recoveryOf } from "./recovery.ts";
import type { Move } from "./witness.ts";

const nothing = { stage: "collect", next_stage: null, outcome: null, value: null };

function claimed(atMs: number, worker: string, token: string): Move {
  return {
    ...nothing,
    kind: "claimed",
    at_ms: atMs,
    job_id: "j",
    token,
    worker_id: worker,
    status: "processing",
  };
}

function lost(atMs: number, worker: string, token: string): Move {
  return { ...claimed(atMs, worker, token), kind: "left", status: "pending", outcome: "lost" };
}

const judged = (moves: readonly Move[], more: Partial<RecoveryParts> = {}) =>
  recoveryOf({
    moves,
    losses: [{ pid: 1, atMs: 1_000, untilMs: 2_500 }],
    outages: [],
    pidOf: new Map([
      ["before", 1],
      ["after", 1],
      ["other", 2],
    ]),
    renewedMs: new Map([
      ["before", 900],
      ["after", 8_000],
    ]),
    sweepsMs: [1_500, 2_100, 4_100],
    leaseMs: 1_000,
    latenessMs: () => 0,
    ...more,
  });

test("a job that a frozen process held is late when it is claimed more than three leases after the fault", () => {
  const moves = [claimed(900, "before", "a"), lost(4_100, "before", "a"), claimed(4_200, "other", "b")];
  expect(judged(moves)).toMatchObject({
    provoked: 1,
    unprovoked: 0,
    promptShare: 0,
    late: [
      {
        heldSinceMs: -100,
        takenBackAfterMs: 3_100,
        claimedAfterMs: 3_200,
        sweepsAfterMs: [500, 1_100, 3_100],
      },
    ],
  });
});

test("a job whose claim was under way when the process froze counts as held by it", () => {
  const moves = [claimed(1_010, "before", "a"), lost(2_100, "before", "a"), claimed(2_200, "other", "b")];
  expect(judged(moves)).toMatchObject({ provoked: 1, unprovoked: 0, promptShare: 1 });
});

test("a job that the process claimed when the fault was over is counted from the last renewal of its lease", () => {
  const moves = [claimed(3_000, "after", "a"), lost(9_000, "after", "a"), claimed(9_100, "other", "b")];
  expect(judged(moves)).toMatchObject({ provoked: 0, unprovoked: 1, promptShare: 1, late: [] });
});
