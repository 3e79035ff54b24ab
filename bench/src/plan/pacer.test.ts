import { expect, test } from "vitest";
import { readBenchOptions } from "./bench-options.ts";
import { Pacer } from "./pacer.ts";
import { type Cell, planOf } from "./plan.ts";
import { sizes } from "./sizes.ts";

function givenRun(msPerCell: number) {
  const cells = planOf(readBenchOptions(["--quick"])).filter(({ extra }) => extra === null);
  const pacer = new Pacer({ size: sizes.quick, pace: 1, endAtMs: 100_000, cells });
  let nowMs = 0;
  const jobs: number[] = [];
  for (const cell of cells as Cell[]) {
    jobs.push(pacer.sizeFor(cell, nowMs).drainJobs);
    pacer.learn(cell, msPerCell);
    nowMs += msPerCell;
  }
  return jobs;
}

test("a run that is late takes fewer jobs", () => {
  expect(givenRun(5_000).at(-1)).toBeLessThan(sizes.quick.drainJobs / 2);
});

test("a run that is in time takes all of them", () => {
  expect(new Set(givenRun(100))).toEqual(new Set([sizes.quick.drainJobs]));
});

test("contenders that are compared get the same number of jobs", () => {
  const cells = planOf(readBenchOptions(["--quick", "--parts", "workers-2"]));
  const pacer = new Pacer({ size: sizes.quick, pace: 0.7, endAtMs: 1, cells });
  const jobs = cells
    .filter(({ isFavourite }) => isFavourite)
    .map((cell) => {
      pacer.learn(cell, 10_000);
      return pacer.sizeFor(cell, 5_000).sideJobs;
    });
  expect(new Set(jobs).size).toBe(1);
});
