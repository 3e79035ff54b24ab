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

test("a full run does a round of all parts before the next one", () => {
  const options = ["--parts", "drain,drain-cold", "--contenders", "lockstep", "--rounds", "2"];
  const cells = planOf(readBenchOptions(options)).map(({ part, round }) => `${part.name} ${round}`);
  expect(cells).toEqual([
    "drain 0",
    "drain-default 0",
    "drain-cold 0",
    "drain 1",
    "drain-default 1",
    "drain-cold 1",
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

test("a quick run measures all once, and then again what matters most between those that decide it", () => {
  const cells = planOf(readBenchOptions(["--quick", "--parts", "drain,workers-2"]));
  const first = cells.findIndex(({ extra }) => extra !== null);
  expect(cells.slice(0, first).every(({ round }) => round === 0)).toBe(true);
  const extras = cells.slice(first);
  expect(extras.map(({ round }) => round)).toEqual(extras.map(({ round }) => round).sort());
  expect([...new Set(extras.map(({ extra }) => extra?.group))]).toEqual([
    "drain 1",
    "drain-default 1",
    "drain 2",
    "drain-default 2",
  ]);
  expect(extras.map(({ contender }) => contender.name)).toContain("pg-boss");
  expect(extras.map(({ contender }) => contender.name)).not.toContain("dbos");
});

test("rounds that were asked for are no extra ones", () => {
  const cells = planOf(readBenchOptions(["--quick", "--parts", "bulk-add", "--rounds", "2"]));
  expect(cells.every(({ extra }) => extra === null)).toBe(true);
  expect(cells.filter(({ contender }) => contender.name === "dbos").length).toBe(2);
});

test("a quick run beside another checkout takes turns with it in every round", () => {
  const asked = ["--quick", "--parts", "idle-latency-p50", "--contenders", "lockstep", "--rounds", "3"];
  const options = readBenchOptions([...asked, "--before", "../lockstep-before"]);
  const names = planOf(options).map(({ contender, round }) => `${round} ${contender.name}`);
  expect(names).toEqual([
    "0 lockstep",
    "0 lockstep before",
    "1 lockstep before",
    "1 lockstep",
    "2 lockstep",
    "2 lockstep before",
  ]);
});

test("rounds that were asked for are not left to the end of a quick run for those that do not decide", () => {
  const asked = ["--quick", "--parts", "bulk-add", "--contenders", "lockstep,dbos", "--rounds", "2"];
  const names = planOf(readBenchOptions(asked)).map(({ contender, round }) => `${round} ${contender.name}`);
  expect(names.slice(0, 2)).toEqual(["0 lockstep", "0 dbos"]);
});

test("an unknown part is refused with the names there are", () => {
  expect(() => readBenchOptions(["--parts", "drian"])).toThrow(
    /There is no part "drian". There are: bulk-add/,
  );
});
