import { ManualClock, recordEvents } from "@lockstep/test-support";
import { describe, expect, onTestFinished, test } from "vitest";
import { EngineEvents } from "../../events/engine-events.ts";
import { HealthMonitor, type ProcessorState, type StageState } from "./health-monitor.ts";

function processor(number: number, options: Partial<ProcessorState> = {}): ProcessorState {
  return { number, state: "idle", jobId: null, busyForMs: 0, ...options };
}

function stageOf(...processors: ProcessorState[]): StageState {
  return { pipeline: "document-ocr", stage: "ocr", waiting: 4, processors };
}

function monitor(stages: () => readonly StageState[]) {
  const clock = new ManualClock();
  const events = new EngineEvents();
  const recorded = recordEvents(events);
  const order: string[] = [];
  events.on("health", () => order.push("health"));
  const part = new HealthMonitor({
    clock,
    events,
    healthIntervalMs: 30_000,
    stuckAfterMs: 300_000,
    workerId: () => "w1",
    stages,
    replaceErrors: () => order.push("replaced"),
  });
  onTestFinished(() => part.stop());
  return { part, clock, recorded, order };
}

describe("a health report", () => {
  test("counts the processors of each stage", () => {
    const busy = { state: "busy", jobId: "j1", busyForMs: 300_000 } as const;
    const { part } = monitor(() => [stageOf(processor(1), processor(2), processor(3, busy))]);
    expect(part.report()).toEqual({
      workerId: "w1",
      problems: [],
      stages: [{ pipeline: "document-ocr", stage: "ocr", waiting: 4, idle: 2, busy: 1, error: 0, stuck: [] }],
    });
  });

  test("names a processor that has been at one job for too long", () => {
    const { part } = monitor(() => [
      stageOf(processor(3, { state: "busy", jobId: "j1", busyForMs: 312_999 })),
    ]);
    expect(part.report()).toMatchObject({
      problems: ["Processor 3 of document-ocr/ocr has been at job j1 for 312 s."],
      stages: [{ busy: 1, stuck: [{ processor: 3, jobId: "j1", busyForMs: 312_999 }] }],
    });
  });

  test("names a processor in error, and not as stuck too", () => {
    const { part } = monitor(() => [
      stageOf(processor(1, { state: "error", jobId: "j1", busyForMs: 999_000 })),
    ]);
    expect(part.report()).toMatchObject({
      problems: ["Processor 1 of document-ocr/ocr is in error and is replaced."],
      stages: [{ error: 1, busy: 0, stuck: [] }],
    });
  });

  test("of a worker without stages is well", () => {
    expect(monitor(() => []).part.report()).toEqual({ workerId: "w1", problems: [], stages: [] });
  });
});

test("the report is told every thirty seconds, each time before processors in error are replaced", async () => {
  const { part, clock, recorded, order } = monitor(() => [stageOf(processor(1))]);
  part.start();
  await clock.advance(60_000);
  expect(recorded.all("health")).toHaveLength(3);
  expect(order).toEqual(["health", "replaced", "health", "replaced", "health", "replaced"]);
  await part.stop();
  await part.stop();
  await clock.advance(60_000);
  expect(recorded.all("health")).toHaveLength(3);
});

test("a report that cannot be made is told as an error, and the next one is tried", async () => {
  const { part, clock, recorded } = monitor(() => {
    throw new Error("no stages");
  });
  part.start();
  await clock.advance(30_000);
  expect(recorded.names()).toEqual(["engine.error", "engine.error"]);
});
