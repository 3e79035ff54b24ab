import { describe, expect, test } from "vitest";
import { nearestTests } from "./nearest-tests.ts";

const workspaces = [
  { name: "@lockstep/database", folder: "packages/database", dependencies: [] },
  { name: "lockstep", folder: "packages/engine", dependencies: ["@lockstep/database"] },
  { name: "@lockstep/server", folder: "packages/server", dependencies: ["lockstep"] },
];
const tests = [
  "packages/database/functions/claim_jobs.race.test.ts",
  "packages/database/functions/claim_jobs.test.ts",
  "packages/database/functions/fail_job.test.ts",
  "packages/database/src/migrate.test.ts",
  "packages/engine/src/clock.test.ts",
  "packages/server/src/app.test.ts",
  "scripts/docs/pages.test.ts",
  "scripts/read-flags.test.ts",
  "test/guards/wake-ups.test.ts",
  "test/model/model.test.ts",
];
const near = (changed: string[], seconds = 1_000) => nearestTests(changed, tests, workspaces, seconds).chosen;

describe("the nearest tests", () => {
  test("of a function are its own, those of its folder, of its package, and of packages that stand on it", () => {
    expect(near(["packages/database/functions/claim_jobs.sql"])).toEqual(tests.slice(0, 5));
  });

  test("of a changed test begin with it", () => {
    expect(near(["packages/database/functions/fail_job.test.ts"])[0]).toBe(
      "packages/database/functions/fail_job.test.ts",
    );
  });

  test("of what a story's tests share are those of its folder", () => {
    expect(near(["test/model/real-queue.ts"])).toEqual(["test/model/model.test.ts"]);
  });

  test("of a page are those that read pages", () => {
    expect(near(["docs/testing.md"])).toEqual(["scripts/docs/pages.test.ts"]);
  });

  test("of a file that belongs to the whole repository are none: only all tests tell", () => {
    expect(near(["vitest.config.ts"])).toEqual([]);
  });

  test("end where the time does, and those left out are named", () => {
    const { chosen, leftOut } = nearestTests(
      ["packages/database/functions/claim_jobs.sql"],
      tests,
      workspaces,
      7,
    );
    expect(chosen).toEqual(tests.slice(0, 3));
    expect(leftOut).toEqual(tests.slice(3, 5));
  });
});
