import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { HealthReport, StageHealth } from "../../events/health-report.ts";
import { Ticker } from "../../waiting/ticker.ts";

export interface ProcessorState {
  readonly number: number;
  readonly state: "idle" | "busy" | "error";
  readonly jobId: string | null;
  readonly busyForMs: number;
}

export interface StageState {
  readonly pipeline: string;
  readonly stage: string;
  readonly waiting: number;
  readonly processors: readonly ProcessorState[];
}

export interface HealthMonitorParts {
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly healthIntervalMs: number;
  readonly stuckAfterMs: number;
  readonly workerId: () => string;
  readonly stages: () => readonly StageState[];
  readonly replaceErrors: () => void;
}

/** Says every so often how the worker is, and has processors in error replaced. */
export class HealthMonitor {
  readonly #parts: HealthMonitorParts;
  readonly #ticker: Ticker;

  constructor(parts: HealthMonitorParts) {
    this.#parts = parts;
    this.#ticker = new Ticker({
      intervalMs: parts.healthIntervalMs,
      clock: parts.clock,
      tick: async () => this.#check(),
      onError: (thrown) => parts.events.emitError(thrown),
    });
  }

  start(): void {
    this.#ticker.start();
  }

  stop(): Promise<void> {
    return this.#ticker.stop();
  }

  report(): HealthReport {
    const { workerId, stages, stuckAfterMs } = this.#parts;
    const states = stages();
    return {
      workerId: workerId(),
      problems: states.flatMap((state) => problemsOf(state, stuckAfterMs)),
      stages: states.map((state) => healthOf(state, stuckAfterMs)),
    };
  }

  #check(): void {
    this.#parts.events.emit("health", { report: this.report() });
    this.#parts.replaceErrors();
  }
}

function healthOf({ pipeline, stage, waiting, processors }: StageState, stuckAfterMs: number): StageHealth {
  const countOf = (state: ProcessorState["state"]) =>
    processors.filter((processor) => processor.state === state).length;
  return {
    pipeline,
    stage,
    waiting,
    idle: countOf("idle"),
    busy: countOf("busy"),
    error: countOf("error"),
    stuck: processors.flatMap((processor) => {
      const { number, jobId, busyForMs } = processor;
      return isStuck(processor, stuckAfterMs) && jobId !== null
        ? [{ processor: number, jobId, busyForMs }]
        : [];
    }),
  };
}

function problemsOf({ pipeline, stage, processors }: StageState, stuckAfterMs: number): string[] {
  return processors.flatMap((processor) => {
    const who = `Processor ${processor.number} of ${pipeline}/${stage}`;
    if (processor.state === "error") return [`${who} is in error and is replaced.`];
    if (!isStuck(processor, stuckAfterMs)) return [];
    const seconds = Math.floor(processor.busyForMs / 1_000);
    return [`${who} has been at job ${processor.jobId} for ${seconds} s.`];
  });
}

function isStuck({ state, busyForMs }: ProcessorState, stuckAfterMs: number): boolean {
  return state === "busy" && busyForMs > stuckAfterMs;
}
