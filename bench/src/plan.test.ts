import { expect, test } from "vitest";
import { readBenchOptions } from "./bench-options.ts";
import { planOf } from "./plan.ts";

test("contenders take turns in being first", () => {
  const options = readBenchOptions([
    "--parts",
    "bulk-add",
    "--contenders",
    "lockstep,graphile-worker",
    "--rounds",
    "3",
  ]);
  const names = planOf(options).map(({ contender }) => contender.name);
  expect(names).toEqual([
    "lockstep",
    "graphile-worker",
    "graphile-worker",
    "lockstep",
    "lockstep",
    "graphile-worker",
  ]);
});

test("parts that order the same share one run", () => {
  const shared = ["--contenders", "lockstep", "--rounds", "1", "--parts"];
  const one = planOf(readBenchOptions([...shared, "payload-100B"]));
  const many = planOf(readBenchOptions([...shared, "payload-100B,cost-per-job,worker-memory"]));
  expect(many.map(({ key }) => key)).toEqual(one.map(({ key }) => key));
});

test("a part about defaults takes the default configurations, and the limit as it is", () => {
  const names = planOf(readBenchOptions(["--parts", "drain-default", "--rounds", "1"])).map(
    ({ contender }) => contender.name,
  );
  expect(names).toContain("lockstep default");
  expect(names).toContain("plain-sql");
  expect(names).not.toContain("lockstep");
});

test("an unknown part is refused with the names there are", () => {
  expect(() => readBenchOptions(["--parts", "drian"])).toThrow(
    /There is no part "drian". There are: bulk-add/,
  );
});
