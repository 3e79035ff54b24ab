import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { Database } from "../../store/connections/database.ts";
import { QueueStore } from "../../store/reading/queue-store.ts";
import { BudgetLimits } from "../../store/steering/budget-limits.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { queueMetrics, readQueueMetrics } from "./queue-metrics.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const database = new Database({
  target: targetAt(db.url),
  connections: 4,
  transactionPooler: false,
  applicationName: "lockstep metrics test",
});
afterAll(() => database.close(systemClock));

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
});

const read = async () =>
  parsed(
    await readQueueMetrics({
      store: new QueueStore(database),
      budgets: new BudgetLimits(database),
      clock: systemClock,
    }),
  );

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads the text by the grammar of the format; throws at the first line that does not follow it. */
function parsed(text: string): { types: Map<string, string>; samples: Sample[] } {
  if (!text.endsWith("\n")) throw new Error("The last line must end with a line feed.");
  const types = new Map<string, string>();
  const helps = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (?:[^\\]|\\[\\n])*$/.exec(line);
    const type = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line);
    const sample =
      /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|[+-]Inf|[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: -?\d+)?$/.exec(
        line,
      );
    if (help?.[1] !== undefined) {
      if (helps.has(help[1])) throw new Error(`${help[1]} is announced twice.`);
      helps.add(help[1]);
    } else if (type?.[1] !== undefined && type[2] !== undefined) {
      if (types.has(type[1])) throw new Error(`${type[1]} has two types.`);
      types.set(type[1], type[2]);
    } else if (sample?.[1] !== undefined) {
      const family = [...types.keys()].at(-1) ?? "";
      const ends = types.get(family) === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
      if (!ends.some((end) => sample[1] === `${family}${end}`))
        throw new Error(`${line} does not belong to ${family}.`);
      samples.push({ name: sample[1], labels: labelsOf(sample[2] ?? ""), value: Number(sample[3]) });
    } else throw new Error(`Not a line of the format: ${line}`);
  }
  const series = samples.map(({ name, labels }) => JSON.stringify([name, labels]));
  if (new Set(series).size < series.length) throw new Error("A series stands there twice.");
  return { types, samples };
}

function labelsOf(text: string): Record<string, string> {
  const pair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\n"])*)"(,|$)/y;
  const labels: Record<string, string> = {};
  while (pair.lastIndex < text.length) {
    const found = pair.exec(text);
    if (found?.[1] === undefined) throw new Error(`Not labels: ${text}`);
    labels[found[1]] = found[2] ?? "";
  }
  return labels;
}

function sampled(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const matches = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  expect(matches, `${name} ${JSON.stringify(labels)}`).toHaveLength(1);
  return matches[0]?.value;
}

const stage = { pipeline: "orders", stage: "read" };

describe("the metrics of the queue", () => {
  test("are text that Prometheus reads, with every metric announced and labelled as documented", async () => {
    await jobs.aWorker({ serves: ["orders/read"] });
    await jobs.aPendingJob();
    const { types, samples } = await read();
    expect(Object.fromEntries(types)).toEqual(
      Object.fromEntries(Object.values(queueMetrics).map(({ name, type }) => [name, type])),
    );
    for (const { name, labels } of samples) {
      const metric = Object.values(queueMetrics).find(
        (one) => one.name === name.replace(/_(bucket|sum|count)$/, ""),
      );
      const known = [...(metric?.labels ?? []), ...(name.endsWith("_bucket") ? ["le"] : [])];
      expect(Object.keys(labels).sort(), name).toEqual(known.sort());
    }
  });

  test("say what waits, what is paused, and who serves it", async () => {
    const now = new Date();
    await jobs.aWorker({ serves: ["orders/read"], at: now });
    await jobs.aPendingJob({ at: secondsAfter(now, -90) });
    await jobs.aPendingJob({ at: secondsAfter(now, -300), scheduledFor: secondsAfter(now, -240) });
    await db.value("pause_stage", { p_pipeline: "orders", p_stage: "write" });
    const { samples } = await read();
    expect(sampled(samples, "lockstep_jobs", { ...stage, status: "pending" })).toBe(1);
    expect(sampled(samples, "lockstep_jobs", { ...stage, status: "scheduled" })).toBe(1);
    expect(sampled(samples, "lockstep_oldest_pending_seconds", stage)).toBeGreaterThanOrEqual(90);
    expect(sampled(samples, "lockstep_oldest_pending_seconds", stage)).toBeLessThan(150);
    expect(sampled(samples, "lockstep_overdue_seconds", stage)).toBeGreaterThanOrEqual(240);
    expect(sampled(samples, "lockstep_stage_workers", stage)).toBe(1);
    expect(sampled(samples, "lockstep_stage_paused", stage)).toBe(0);
    expect(sampled(samples, "lockstep_stage_paused", { ...stage, stage: "write" })).toBe(1);
  });

  test("count moves, and sort attempts by how long they waited and ran", async () => {
    const worker = await jobs.aWorker({ leaseSeconds: 600 });
    for (const seconds of [0.01, 1, 1, 5_000]) {
      const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
      const p_now = secondsAfter(noon, seconds);
      await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now });
    }
    const { samples } = await read();
    expect(sampled(samples, "lockstep_stage_moves_total", { ...stage, move: "advanced" })).toBe(4);
    const runs = samples.filter(
      ({ name, labels }) => name === "lockstep_attempt_run_seconds_bucket" && labels.stage === "read",
    );
    const upTo = (le: string) => runs.find(({ labels }) => labels.le === le)?.value;
    expect([
      upTo("0.008"),
      upTo("0.016"),
      upTo("0.512"),
      upTo("1.024"),
      upTo("4194.304"),
      upTo("+Inf"),
    ]).toEqual([0, 1, 1, 3, 3, 4]);
    expect(runs.map(({ value }) => value)).toEqual(runs.map(({ value }) => value).sort((a, b) => a - b));
    expect(sampled(samples, "lockstep_attempt_run_seconds_count", stage)).toBe(4);
    const sum = sampled(samples, "lockstep_attempt_run_seconds_sum", stage) ?? 0;
    expect(sum).toBeGreaterThan(5_002 / 2);
    expect(sum).toBeLessThan(5_002 * 2);
  });

  test("add up what live workers report of themselves, and tell the lost from the live", async () => {
    const now = new Date();
    const report = (busy: number) => ({
      stages: [{ ...stage, waiting: 2, idle: 3, busy, error: 0 }, "nonsense"],
    });
    for (const busy of [1, 4]) {
      const worker = await jobs.aWorker({ at: now });
      await db.call("heartbeat", { p_worker_id: worker, p_report: report(busy), p_now: now });
    }
    await jobs.aWorker({ at: now });
    await jobs.aClaimedJob({
      by: await jobs.aWorker({ at: secondsAfter(now, -40) }),
      at: secondsAfter(now, -20),
    });
    const { samples } = await read();
    expect(sampled(samples, "lockstep_processors", { ...stage, state: "busy" })).toBe(5);
    expect(sampled(samples, "lockstep_processors", { ...stage, state: "idle" })).toBe(6);
    expect(sampled(samples, "lockstep_queued_jobs", stage)).toBe(4);
    expect(sampled(samples, "lockstep_workers", { state: "live" })).toBe(3);
    expect(sampled(samples, "lockstep_workers", { state: "lost" })).toBe(1);
    expect(sampled(samples, "lockstep_lost_worker_jobs")).toBe(1);
    expect(sampled(samples, "lockstep_oldest_claim_seconds")).toBe(0);
  });

  test("say what budgets allow, what is in use of them, and which ten scopes are nearest to their limit", async () => {
    const now = new Date();
    const budgets = [{ name: "tokens", per: "owner", limit: 100 }];
    await jobs.aPipeline("answers", [{ name: "ask", spends: { tokens: 40 } }], { budgets });
    const worker = await jobs.aWorker({ serves: ["answers/ask"], at: now });
    const owners = Array.from({ length: 12 }, (_, index) => `owner "${String(index).padStart(2, "0")}"`);
    for (const owner of [...owners, "ada", "ada", "ada"])
      await jobs.aPendingJob({ pipeline: "answers", owner, at: now });
    await jobs.claimAs(worker, { stage: "answers/ask", batchSize: 20, at: now });
    const { samples } = await read();
    const budget = { budget: "tokens" };
    expect(sampled(samples, "lockstep_budget_limit", budget)).toBe(100);
    expect(sampled(samples, "lockstep_budget_spent", budget)).toBe(0);
    expect(sampled(samples, "lockstep_budget_reserved", budget)).toBe(14 * 40);
    expect(sampled(samples, "lockstep_budget_waiting_jobs", budget)).toBe(1);
    const scopes = samples.filter(({ name }) => name === "lockstep_budget_scope_reserved");
    expect(scopes).toHaveLength(10);
    expect(scopes[0]).toMatchObject({ labels: { ...budget, scope: "ada" }, value: 80 });
    expect(sampled(samples, "lockstep_budget_scope_limit", { ...budget, scope: "ada" })).toBe(100);
    expect(sampled(samples, "lockstep_budget_scope_spent", { ...budget, scope: "ada" })).toBe(0);
  });
});
