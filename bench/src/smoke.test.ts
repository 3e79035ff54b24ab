import { expect, test } from "vitest";
import { readBenchOptions } from "./plan/bench-options.ts";
import { parts } from "./plan/parts.ts";
import { plots } from "./results/plots.ts";
import { tableOf } from "./results/report.ts";
import { runBench } from "./run-bench.ts";

// Numbers of this size say nothing about speed: the test is that every part still measures something.
test("every part gives a value for Lockstep, and for plain SQL where it takes part", {
  timeout: 300_000,
}, async () => {
  const options = readBenchOptions(["--smoke", "--contenders", "lockstep,plain-sql"]);
  const { rows } = await runBench(options, () => {});

  expect(rows.map(({ part }) => part)).toEqual(parts.map(({ name }) => name));
  const failures = rows
    .filter(({ lockstep }) => lockstep === null)
    .map(({ part, reasons }) => ({ part, reasons }));
  expect(failures).toEqual([]);
  for (const { part, lockstep, limit, ratioToBestPeer, ratioToLimit } of rows) {
    expect(lockstep, part).toBeGreaterThan(0);
    expect(ratioToBestPeer, part).toBeNull();
    const hasLimit = parts.find(({ name }) => name === part)?.modules.includes("plain-sql") === true;
    expect(limit !== null, part).toBe(hasLimit);
    expect(ratioToLimit !== null, part).toBe(hasLimit);
  }
  expect(tableOf(rows).split("\n").length).toBeGreaterThan(parts.length);
  for (const [, svg] of plots(rows)) expect(svg).toMatch(/^<svg [\s\S]*<\/svg>\n$/);
});
