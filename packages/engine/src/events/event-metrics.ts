import type { EngineEvents } from "./engine-events.ts";
import type { HealthReport } from "./health-report.ts";
import type {
  GaugeCallback,
  InstrumentOptions,
  Telemetry,
  TelemetryAttributes,
  TelemetryMeter,
} from "./telemetry.ts";
import { attribute, instruments } from "./telemetry-names.ts";

export interface EventMetricsParts {
  readonly telemetry: Telemetry | null;
  readonly version: string;
  readonly events: Pick<EngineEvents, "on">;
  /** Null while this engine does not work. */
  readonly health: () => HealthReport | null;
}

// From a millisecond to an hour.
const secondBoundaries = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600];

/** Counts what the engine says. Returns the function that ends it; null when nobody would read the numbers. */
export function meterEvents({ telemetry, version, events, health }: EventMetricsParts): (() => void) | null {
  if (telemetry === null) return null;
  const meter = telemetry.metrics.getMeter("lockstep", version);
  // Listening alone would cost every job an event.
  if (meter === telemetry.createNoopMeter()) return null;

  const added = meter.createCounter(instruments.added.name, optionsOf(instruments.added));
  const attempts = meter.createCounter(instruments.attempts.name, optionsOf(instruments.attempts));
  const signals = meter.createCounter(instruments.signals.name, optionsOf(instruments.signals));
  const waitsEnded = meter.createCounter(instruments.waitsEnded.name, optionsOf(instruments.waitsEnded));
  const lost = meter.createCounter(instruments.lost.name, optionsOf(instruments.lost));
  const duration = meter.createHistogram(instruments.duration.name, {
    ...optionsOf(instruments.duration),
    advice: { explicitBucketBoundaries: secondBoundaries },
  });

  const ended = (outcome: string, event: EndedEvent) => {
    const attributes = { ...placeOf(event), [attribute.outcome]: outcome };
    attempts.add(1, attributes);
    if (event.durationMs !== undefined) duration.record(event.durationMs / 1_000, attributes);
  };
  const endings = [
    events.on("job.added", ({ pipeline, created }) =>
      added.add(1, { [attribute.pipeline]: pipeline, [attribute.created]: created }),
    ),
    events.on("job.advanced", (event) => ended("advanced", event)),
    // Without a duration: no handler ran, or it only began others.
    events.on("job.skipped", ({ pipeline, stage, nextStage }) => {
      // One that skips its last stage is told of as completed, too.
      if (nextStage !== null) ended("skipped", { pipeline, stage });
    }),
    events.on("job.branched", ({ pipeline, stage }) => ended("branched", { pipeline, stage })),
    events.on("job.completed", (event) => ended("completed", event)),
    events.on("job.retrying", (event) => ended("retrying", event)),
    events.on("job.failed", (event) => ended("failed", event)),
    events.on("job.snoozed", (event) => ended("snoozed", event)),
    events.on("job.released", (event) => ended("released", event)),
    events.on("job.cancelled", ({ pipeline, stage }) => {
      // One that was waiting had no attempt to end.
      if (pipeline !== undefined && stage !== undefined) ended("cancelled", { pipeline, stage });
    }),
    events.on("job.signalled", ({ signal }) => signals.add(1, { [attribute.signal]: signal })),
    events.on("job.waits_ended", ({ count }) => waitsEnded.add(count, {})),
    events.on("job.lost", ({ count }) => lost.add(count, {})),
    observe(meter, instruments.processors, (result) => {
      for (const stage of health()?.stages ?? []) {
        for (const state of ["idle", "busy", "error"] as const) {
          result.observe(stage[state], { ...placeOf(stage), [attribute.state]: state });
        }
      }
    }),
    observe(meter, instruments.queued, (result) => {
      for (const stage of health()?.stages ?? []) result.observe(stage.waiting, placeOf(stage));
    }),
  ];
  return () => {
    for (const end of endings) end();
  };
}

interface Place {
  readonly pipeline: string;
  readonly stage: string;
}

interface EndedEvent extends Place {
  readonly durationMs?: number;
}

function placeOf({ pipeline, stage }: Place): TelemetryAttributes {
  return { [attribute.pipeline]: pipeline, [attribute.stage]: stage };
}

function observe(
  meter: TelemetryMeter,
  instrument: { name: string; unit: string; description: string },
  callback: GaugeCallback,
): () => void {
  const gauge = meter.createObservableGauge(instrument.name, optionsOf(instrument));
  gauge.addCallback(callback);
  return () => gauge.removeCallback(callback);
}

function optionsOf({ unit, description }: { unit: string; description: string }): InstrumentOptions {
  return { unit, description };
}
