import { expect, test } from "vitest";
import { cancelGraceOf } from "./cancel-grace.ts";

const worker = (report: unknown, isAlive = true) => ({ isAlive, report });

test("the grace of a cancel is the shortest that a live worker has told", () => {
  const workers = [
    worker({ times: { cancelGraceMs: 45_000 } }),
    worker({ times: { cancelGraceMs: 20_000 } }),
    worker({ times: { cancelGraceMs: 1_000 } }, false),
    worker(null),
    worker({ stages: [] }),
  ];
  expect(cancelGraceOf(workers)).toBe(20_000);
  expect(cancelGraceOf(workers.slice(2))).toBeNull();
});
