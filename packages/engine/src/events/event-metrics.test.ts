import * as opentelemetry from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EngineEvents } from "./engine-events.ts";
import { meterEvents } from "./event-metrics.ts";
import type { HealthReport } from "./health-report.ts";
import { instruments } from "./telemetry-names.ts";

let exporter: InMemoryMetricExporter;
let provider: MeterProvider;

beforeEach(() => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  provider = new MeterProvider({ readers: [reader] });
  opentelemetry.metrics.setGlobalMeterProvider(provider);
});

afterEach(async () => {
  opentelemetry.metrics.disable();
  await provider.shutdown();
});

const health: HealthReport = {
  workerId: "7",
  problems: [],
  stages: [{ pipeline: "orders", stage: "read", waiting: 5, idle: 3, busy: 2, error: 0, stuck: [] }],
};

function metered(report: HealthReport | null = health) {
  const events = new EngineEvents();
  const end = meterEvents({ telemetry: opentelemetry, version: "1", events, health: () => report });
  return { events, end };
}

/** What an exporter is given: metrics by name, with their unit and points. */
async function exported() {
  exporter.reset();
  await provider.forceFlush();
  const metrics = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  return new Map(
    metrics.map(({ descriptor, dataPoints }) => [
      descriptor.name,
      {
        unit: descriptor.unit,
        points: dataPoints.map(
          ({ attributes, value }): Record<string, unknown> => ({ ...attributes, value }),
        ),
      },
    ]),
  );
}

const job = { jobId: "1", pipeline: "orders", stage: "read", attempt: 1 };
const error = { name: "Error", message: "broken" };
const place = { "lockstep.pipeline": "orders", "lockstep.stage": "read" };

test("adds and ends of attempts are counted, with their outcome, under the documented names and units", async () => {
  const { events } = metered();
  events.emit("job.added", { jobId: "1", pipeline: "orders", created: true });
  events.emit("job.added", { jobId: "1", pipeline: "orders", created: false });
  events.emit("job.advanced", { ...job, nextStage: "send", durationMs: 250 });
  events.emit("job.completed", { ...job, durationMs: 1_500 });
  events.emit("job.completed", { ...job, durationMs: 500 });
  events.emit("job.retrying", { ...job, error, durationMs: 10 });
  events.emit("job.failed", { ...job, error, durationMs: 10 });
  events.emit("job.snoozed", { ...job, forMs: 10 });
  events.emit("job.released", job);
  events.emit("job.cancelled", { jobId: "1", pipeline: "orders", stage: "read" });
  events.emit("job.cancelled", { jobId: "2" });
  events.emit("job.signalled", { jobId: "1", signal: "approval" });
  events.emit("job.waits_ended", { count: 2, jobIds: ["a", "b"] });
  events.emit("job.lost", { count: 3 });

  const metrics = await exported();
  expect([...metrics.keys()].sort()).toEqual(
    Object.values(instruments)
      .map(({ name }) => name)
      .sort(),
  );
  for (const { name, unit } of Object.values(instruments)) expect(metrics.get(name)?.unit, name).toBe(unit);

  expect(metrics.get("lockstep.jobs.added")?.points).toEqual([
    { "lockstep.pipeline": "orders", "lockstep.created": true, value: 1 },
    { "lockstep.pipeline": "orders", "lockstep.created": false, value: 1 },
  ]);
  const outcomes = metrics
    .get("lockstep.attempts")
    ?.points.map((point) => [point["lockstep.outcome"], point.value]);
  expect(outcomes).toEqual([
    ["advanced", 1],
    ["completed", 2],
    ["retrying", 1],
    ["failed", 1],
    ["snoozed", 1],
    ["released", 1],
    ["cancelled", 1],
  ]);
  const durations = metrics.get("lockstep.attempt.duration")?.points;
  expect(durations).toContainEqual({
    ...place,
    "lockstep.outcome": "completed",
    value: expect.objectContaining({ count: 2, sum: 2 }),
  });
  expect(metrics.get("lockstep.signals")?.points).toEqual([{ "lockstep.signal": "approval", value: 1 }]);
  expect(metrics.get("lockstep.waits.ended")?.points).toEqual([{ value: 2 }]);
  expect(metrics.get("lockstep.jobs.lost")?.points).toEqual([{ value: 3 }]);
});

test("processors and queued jobs are observed while the engine works", async () => {
  metered();
  const metrics = await exported();
  expect(metrics.get("lockstep.processors")?.points).toEqual([
    { ...place, "lockstep.state": "idle", value: 3 },
    { ...place, "lockstep.state": "busy", value: 2 },
    { ...place, "lockstep.state": "error", value: 0 },
  ]);
  expect(metrics.get("lockstep.jobs.queued")?.points).toEqual([{ ...place, value: 5 }]);
});

test("an engine that does not work has no processors, and one that has stopped counts no more", async () => {
  const idle = metered(null);
  expect((await exported()).get("lockstep.processors")?.points ?? []).toEqual([]);
  idle.end?.();
  idle.events.emit("job.lost", { count: 3 });
  expect((await exported()).get("lockstep.jobs.lost")?.points ?? []).toEqual([]);
});

test("while no SDK is registered or none is given nobody listens, so that no job pays for it", () => {
  opentelemetry.metrics.disable();
  const { events, end } = metered();
  expect(end).toBeNull();
  expect(events.hasListeners("job.added")).toBe(false);
  expect(meterEvents({ telemetry: null, version: "1", events, health: () => null })).toBeNull();
});
