import { expect, test } from "vitest";
import { type Contender, contenders } from "../contenders/contender-list.ts";
import { parts } from "../plan/parts.ts";
import { resultRow } from "./result-row.ts";

function samples(name: string, values: number[], reason: string | null = null) {
  const contender = contenders.find((one) => one.name === name) as Contender;
  return { contender, values, reason, notes: [], details: [] };
}

function partNamed(name: string) {
  const part = parts.find((one) => one.name === name);
  if (part === undefined) throw new Error(`no part ${name}`);
  return part;
}

test("a ratio above 1 is in Lockstep's favour where more is better", () => {
  const row = resultRow(partNamed("drain"), [
    samples("lockstep", [50, 60, 70]),
    samples("plain-sql", [100]),
    samples("graphile-worker", [40]),
    samples("pg-boss", [30]),
  ]);
  expect(row).toMatchObject({
    lockstep: 60,
    bestPeer: "graphile-worker",
    ratioToBestPeer: 1.5,
    ratioToLimit: 0.6,
  });
  expect(row.spread.lockstep).toEqual([50, 70]);
});

test("a ratio above 1 is in Lockstep's favour where less is better", () => {
  const row = resultRow(partNamed("idle-latency-p50"), [
    samples("lockstep", [2]),
    samples("graphile-worker", [3]),
    samples("pg-boss", [4]),
  ]);
  expect(row).toMatchObject({ bestPeer: "graphile-worker", ratioToBestPeer: 1.5, ratioToLimit: null });
});

test("a peer without a value is null with its reason and no part of the ratio", () => {
  const row = resultRow(partNamed("held-snapshot"), [
    samples("lockstep", [0.9]),
    samples("pg-boss", [], "did not end within 20 seconds"),
  ]);
  expect(row.peers).toMatchObject({ "pg-boss": null, "bullmq-redis": null });
  expect(row.reasons).toMatchObject({
    "pg-boss": "did not end within 20 seconds",
    "bullmq-redis": "Redis has no snapshots",
  });
  expect(row.ratioToBestPeer).toBeNull();
});
