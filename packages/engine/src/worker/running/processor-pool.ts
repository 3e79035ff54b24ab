import type { Clock } from "../../clock.ts";
import type { EngineEvents } from "../../events/engine-events.ts";
import type { Outcome } from "../../jobs/outcomes/outcome.ts";
import type { WorkStage } from "../../jobs/pipelines/work-stage.ts";
import { Ticker } from "../../waiting/ticker.ts";
import type { JobRun } from "./job-run.ts";
import type { AbortReason } from "./run-abort.ts";

export type ProcessorState = "idle" | "busy" | "error";

/** One unit of concurrency: it runs one job at a time, or those of one call of a batch handler. */
export interface Processor {
  readonly number: number;
  readonly state: ProcessorState;
  readonly runs: ReadonlySet<JobRun>;
}

export interface ProcessorPoolParts {
  readonly stages: readonly WorkStage[];
  readonly clock: Clock;
  readonly events: EngineEvents;
  readonly stopGraceMs: number;
  /** An attempt has ended, by its handler or without it. */
  readonly onEnded: (run: JobRun, outcome: Outcome) => void;
}

interface Slot {
  number: number;
  state: ProcessorState;
  readonly runs: Set<JobRun>;
}

interface StagePool {
  readonly stage: WorkStage;
  readonly slots: Slot[];
  readonly idle: Slot[];
}

const longestSleepMs = 60_000;
const shortestSleepMs = 1_000;

/** The processors of every stage. One look-out for all deadlines: no job has a timer of its own. */
export class ProcessorPool {
  readonly #parts: ProcessorPoolParts;
  readonly #pools = new Map<number, StagePool>();
  readonly #lookOut: Ticker;
  /** How long the look-out sleeps while it knows of no deadline. */
  readonly #sleepMs: number;
  /** How many jobs run. */
  #busy = 0;
  #nextLookMs = Number.POSITIVE_INFINITY;
  #whenIdle: (() => void)[] = [];
  /** Runs whose handlers ignored their signal and have not ended since; of a call for several jobs, the last one. */
  readonly #unstoppable = new Set<JobRun>();
  #excusedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(parts: ProcessorPoolParts) {
    this.#parts = parts;
    for (const stage of parts.stages) {
      const slots = Array.from({ length: stage.definition.options.processors }, (_, index) =>
        newSlot(index + 1),
      );
      this.#pools.set(stage.id, { stage, slots, idle: [...slots].reverse() });
    }
    // No longer than an attempt may take, so that the beginning of one need not wake it.
    const timeoutsMs = parts.stages.map(({ definition }) => definition.options.timeoutMs ?? longestSleepMs);
    this.#sleepMs = Math.max(shortestSleepMs, Math.min(longestSleepMs, ...timeoutsMs));
    this.#lookOut = new Ticker({
      intervalMs: () => Math.max(1, this.#nextLookMs - parts.clock.monotonicMs()),
      clock: parts.clock,
      tick: async () => this.#look(),
      onError: (error) => parts.events.emitError(error),
    });
  }

  start(): void {
    this.#lookOut.start();
  }

  stop(): Promise<void> {
    return this.#lookOut.stop();
  }

  idle(stageId: number): number {
    return this.#pool(stageId).idle.length;
  }

  get busy(): number {
    return this.#busy;
  }

  /** How many handlers still run although they were told to stop. Those whose lease was lost do not count: that was not their fault. */
  get unstoppable(): number {
    return this.#unstoppable.size;
  }

  /** The database was away: handlers that were told to stop before now may have been waiting for it too. */
  excuseUnstoppable(): void {
    this.#unstoppable.clear();
    this.#excusedUntilMs = this.#parts.clock.monotonicMs();
  }

  /**
   * Hands a job, or the jobs of one call, to an idle processor; the caller has seen that there is one. They may have ended on
   * return.
   */
  run(runs: readonly JobRun[]): void {
    const [first] = runs;
    if (first === undefined) return;
    const pool = this.#pool(first.workStage.id);
    const slot = pool.idle.pop();
    if (slot === undefined) throw new Error(`No processor of ${first.pipeline}/${first.stage} is idle.`);
    slot.state = "busy";
    // All of them before the first begins, whose end would make the processor idle.
    for (const run of runs) slot.runs.add(run);
    this.#busy += runs.length;
    const { timeoutMs } = pool.stage.definition.options;
    if (timeoutMs !== null) this.#lookBy(first.startedMs + timeoutMs);
    for (const run of runs) this.#begin(pool, slot, run);
  }

  #begin(pool: StagePool, slot: Slot, run: JobRun): void {
    const { events } = this.#parts;
    if (events.hasListeners("job.started")) {
      const { jobId, pipeline, stage, attempt } = run;
      events.emit("job.started", { jobId, pipeline, stage, attempt, processor: slot.number });
    }
    const ending = run.run();
    if (ending instanceof Promise) void ending.then((outcome) => this.#ended(pool, slot, run, outcome));
    else this.#ended(pool, slot, run, ending);
  }

  /** Whether that was news: a cancel is told again with every heartbeat. */
  abort(jobId: string, reason: AbortReason): boolean {
    const run = this.#runs().find((candidate) => candidate.jobId === jobId);
    if (run === undefined || run.abortReason !== null) return false;
    this.#abort(run, reason);
    return true;
  }

  abortAll(reason: AbortReason): void {
    for (const run of this.#runs()) this.#abort(run, reason);
  }

  /** Ends every attempt that still runs without waiting for its handler. */
  abandonAll(): void {
    for (const pool of this.#pools.values()) {
      for (const slot of pool.slots) for (const run of slot.runs) this.#abandon(slot, run);
    }
  }

  /** Puts a fresh processor in the place of each that is in error. */
  replaceErrors(): void {
    for (const { stage, slots, idle } of this.#pools.values()) {
      for (const [index, slot] of slots.entries()) {
        if (slot.state !== "error") continue;
        const fresh = newSlot(slot.number);
        slots[index] = fresh;
        idle.push(fresh);
        this.#parts.events.emit("processor.replaced", {
          pipeline: stage.pipeline.name,
          stage: stage.definition.name,
          processor: slot.number,
        });
      }
    }
  }

  processors(stageId: number): readonly Processor[] {
    return this.#pool(stageId).slots;
  }

  /** The longest timeoutMs among what runs; null when something has no limit. */
  longestTimeoutMs(): number | null {
    let longestMs = 0;
    for (const run of this.#runs()) {
      const { timeoutMs } = run.workStage.definition.options;
      if (timeoutMs === null) return null;
      longestMs = Math.max(longestMs, timeoutMs);
    }
    return longestMs;
  }

  /** Resolves when nothing runs any more. */
  whenIdle(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #ended(pool: StagePool, slot: Slot, run: JobRun, outcome: Outcome): void {
    // Abandoned: another attempt may be under way elsewhere, and the fence would refuse this one.
    if (!slot.runs.has(run)) {
      this.#unstoppable.delete(run);
      return;
    }
    this.#remove(slot, run);
    if (slot.runs.size === 0) {
      slot.state = "idle";
      pool.idle.push(slot);
    }
    this.#parts.onEnded(run, outcome);
  }

  #abandon(slot: Slot, run: JobRun): void {
    this.#remove(slot, run);
    // While other jobs of its call run, it is for them that the handler goes on.
    if (slot.runs.size === 0) this.#loseHandler(slot, run);
    this.#parts.onEnded(run, run.outcomeWithoutHandler);
  }

  #loseHandler(slot: Slot, run: JobRun): void {
    slot.state = "error";
    if (run.abortReason !== "lease_lost" && run.abortedMs > this.#excusedUntilMs) this.#unstoppable.add(run);
    const { pipeline, stage, jobId } = run;
    this.#parts.events.emit("processor.error", { pipeline, stage, jobId, processor: slot.number });
  }

  #remove(slot: Slot, run: JobRun): void {
    slot.runs.delete(run);
    this.#busy -= 1;
    if (this.#busy > 0 || this.#whenIdle.length === 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  #abort(run: JobRun, reason: AbortReason): void {
    run.abort(reason);
    this.#lookBy(run.abortedMs + this.#parts.stopGraceMs);
  }

  /** Aborts handlers that are over their time, and gives up on those that do not stop. */
  #look(): void {
    const nowMs = this.#parts.clock.monotonicMs();
    this.#nextLookMs = nowMs + this.#sleepMs;
    for (const { slots } of this.#pools.values()) {
      for (const slot of slots) for (const run of slot.runs) this.#lookAt(slot, run, nowMs);
    }
  }

  #lookAt(slot: Slot, run: JobRun, nowMs: number): void {
    const { timeoutMs } = run.workStage.definition.options;
    if (run.abortReason === null) {
      if (timeoutMs === null) return;
      if (run.startedMs + timeoutMs <= nowMs) this.#abort(run, "timeout");
      else this.#note(run.startedMs + timeoutMs);
    } else if (run.abortedMs + this.#parts.stopGraceMs <= nowMs) {
      this.#abandon(slot, run);
    } else {
      this.#note(run.abortedMs + this.#parts.stopGraceMs);
    }
  }

  #lookBy(deadlineMs: number): void {
    if (this.#note(deadlineMs)) this.#lookOut.wake();
  }

  /** Whether it is earlier than the others. The look-out itself must not be woken for it: it would never sleep. */
  #note(deadlineMs: number): boolean {
    if (deadlineMs >= this.#nextLookMs) return false;
    this.#nextLookMs = deadlineMs;
    return true;
  }

  #runs(): JobRun[] {
    const runs: JobRun[] = [];
    for (const { slots } of this.#pools.values()) {
      for (const slot of slots) runs.push(...slot.runs);
    }
    return runs;
  }

  #pool(stageId: number): StagePool {
    const pool = this.#pools.get(stageId);
    if (pool === undefined) throw new Error(`This worker has no processors for stage ${stageId}.`);
    return pool;
  }
}

function newSlot(number: number): Slot {
  return { number, state: "idle", runs: new Set() };
}
