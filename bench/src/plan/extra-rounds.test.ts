import { expect, test } from "vitest";
import { readBenchOptions } from "./bench-options.ts";
import { ExtraRounds } from "./extra-rounds.ts";
import { planOf } from "./plan.ts";

function givenRounds(tookMs: number) {
  const cells = planOf(
    readBenchOptions(["--quick", "--parts", "bulk-add", "--contenders", "lockstep,plain-sql"]),
  );
  const rounds = new ExtraRounds(cells);
  for (const cell of cells) if (cell.extra === null) rounds.learn(cell, tookMs);
  return rounds;
}

test("a further round begins when what its runs took before fits into the time that is left", () => {
  expect(givenRounds(1_000).isInTime({ group: "bulk-add 1" }, 2_000)).toBe(true);
  expect(givenRounds(1_000).isInTime({ group: "bulk-add 1" }, 1_999)).toBe(false);
});

test("a further round that has begun is finished", () => {
  const rounds = givenRounds(1_000);
  rounds.isInTime({ group: "bulk-add 1" }, 2_000);
  expect(rounds.isInTime({ group: "bulk-add 1" }, 500)).toBe(true);
});
