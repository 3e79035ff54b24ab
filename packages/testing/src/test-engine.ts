import type {
  Added,
  AddOptions,
  AnyPipeline,
  Engine,
  Job,
  JobError,
  JobId,
  PipelineInput,
  PipelineResult,
  PipelineSignals,
  SignalAnswer,
  SignalOptions,
  Step,
  StepWorker,
} from "lockstep";
import type { TestClock } from "./test-clock.ts";
import { neverEnds, tooManyAttempts } from "./test-engine-error.ts";

/** A job that has come to its end. */
export interface FinishedJob<Result = unknown> extends Job<Result> {
  readonly status: "completed" | "failed" | "cancelled";
  /** What its attempts failed with, oldest first. */
  readonly errors: readonly JobError[];
}

export interface TestEngineParts {
  readonly engine: Engine;
  readonly worker: StepWorker;
  readonly clock: TestClock;
  readonly attemptLimit: number;
  readonly databaseUrl: string;
  readonly dropDatabase: () => Promise<void>;
}

const finished = ["completed", "failed", "cancelled"];
// Hopeless until a person does something: moving the clock would not help.
const hopeless = ["paused", "no_worker", "not_found", "waits_for_signal"];
// A limit per time frees itself by time alone, and says no instant: the clock is moved on in growing steps, for a day.
const firstPushMs = 1_000;
const lastPushMs = 16 * 3_600_000;
// What was due so often, and was not claimed, will not be.
const mostMoves = 100;

/** An engine for tests: it works only when it is told, one attempt at a time, on a clock that moves when it is told. */
export class TestEngine {
  /** The engine itself, for whatever the code under test calls. Do not start it: the test works in its place. */
  readonly engine: Engine;
  /** The time of the engine and its database. */
  readonly clock: TestClock;
  /** Of the test's own database, for code under test that keeps tables beside the jobs. */
  readonly databaseUrl: string;
  readonly #parts: TestEngineParts;
  #stopped: Promise<void> | null = null;

  constructor(parts: TestEngineParts) {
    this.#parts = parts;
    this.engine = parts.engine;
    this.clock = parts.clock;
    this.databaseUrl = parts.databaseUrl;
  }

  add<P extends AnyPipeline>(
    pipeline: P,
    payload: PipelineInput<P>,
    options?: AddOptions,
  ): Promise<Added<PipelineResult<P>>> {
    return this.engine.add(pipeline, payload, options);
  }

  /**
   * Runs what is due now, so that the job comes to its wait, and tells it what it waits for there. To see what happens when no signal
   * comes, leave it out: `runToEnd` moves the clock to the timeout.
   */
  async signal<P extends AnyPipeline, Name extends keyof PipelineSignals<P> & string>(
    pipeline: P,
    id: JobId,
    name: Name,
    value: PipelineSignals<P>[Name],
    options?: SignalOptions,
  ): Promise<SignalAnswer> {
    await this.runDue();
    return await this.engine.signal(pipeline, id, name, value, options);
  }

  /** Runs what is due now, and what becomes due by that; says how many attempts that took. The clock stands still. */
  async runDue(): Promise<number> {
    let attempts = 0;
    for (let step = await this.#step(); step !== null; step = await this.#step()) {
      attempts += 1;
      this.#refuseTooMany("What is due", attempts, step);
    }
    return attempts;
  }

  /** Runs jobs, and moves the clock to when the next is due, until this one has ended, in whatever way. */
  async runToEnd<Result>(id: JobId<Result>): Promise<FinishedJob<Result>> {
    const what = `Job ${id}`;
    const pushes = new Pushes();
    let attempts = 0;
    for (;;) {
      const job = await this.engine.get(id);
      if (job === null) throw new TypeError(`There is no job ${id}: add it first.`);
      if (finished.includes(job.status)) return finishedJob(job);
      const step = await this.#step();
      if (step !== null) {
        attempts += 1;
        this.#refuseTooMany(what, attempts, step);
        pushes.reset();
      } else if (this.#parts.worker.endedWaits === 0 && !(await this.#moveOn(pushes, [job]))) {
        const where = `it is ${job.status} in ${job.pipeline}/${job.stage}`;
        throw neverEnds(what, where, await this.engine.explain(id));
      }
    }
  }

  /** Runs everything there is to its end, moving the clock as `runToEnd` does; says how many attempts that took. */
  async drain(): Promise<number> {
    const pushes = new Pushes();
    let attempts = 0;
    for (;;) {
      const step = await this.#step();
      if (step !== null) {
        attempts += 1;
        this.#refuseTooMany("The drain", attempts, step);
        pushes.reset();
        continue;
      }
      const left = await this.#live();
      if (left.length === 0) return attempts;
      if (this.#parts.worker.endedWaits > 0) continue;
      if (await this.#moveOn(pushes, left)) continue;
      const [first] = left;
      if (first === undefined) return attempts;
      const where = `job ${first.id} is ${first.status} in ${first.pipeline}/${first.stage}`;
      throw neverEnds("The drain", where, await this.engine.explain(first.id));
    }
  }

  /** Ends the engine and drops its database. May be called twice. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    await this.#parts.worker.stop();
    await this.engine.stop();
    await this.#parts.dropDatabase();
  }

  #step(): Promise<Step | null> {
    if (this.#stopped !== null) {
      throw new Error("This test engine was stopped and its database dropped: make a new one.");
    }
    return this.#parts.worker.step();
  }

  /** Moves the clock to when something can happen again; false: nothing can. */
  async #moveOn(pushes: Pushes, waiting: readonly { readonly id: string }[]): Promise<boolean> {
    const dueInMs = this.#parts.worker.nextDueMs;
    if (dueInMs !== null && pushes.mayMove()) {
      await this.clock.advance(dueInMs);
      return true;
    }
    const ms = pushes.next();
    if (ms === null || (await this.#areHopeless(waiting))) return false;
    await this.clock.advance(ms);
    return true;
  }

  async #areHopeless(waiting: readonly { readonly id: string }[]): Promise<boolean> {
    for (const { id } of waiting) {
      const reasons = await this.engine.explain(id);
      if (!reasons.some(({ reason }) => hopeless.includes(reason))) return false;
    }
    return true;
  }

  /** The jobs that are not finished, some of each status. */
  async #live(): Promise<Awaited<ReturnType<Engine["list"]>>> {
    const lists = await Promise.all(
      (["processing", "pending", "retrying", "scheduled"] as const).map((status) =>
        this.engine.list({ status, limit: 20 }),
      ),
    );
    return lists.flat();
  }

  #refuseTooMany(what: string, attempts: number, { pipeline, stage, jobId }: Step): void {
    const { attemptLimit } = this.#parts;
    if (attempts >= attemptLimit)
      throw tooManyAttempts(what, attemptLimit, `${pipeline}/${stage} (job ${jobId})`);
  }
}

/** How far the clock is moved when nobody says when something will be due. */
class Pushes {
  #ms = firstPushMs;
  #moves = 0;

  /** Whether it is worth moving to when something is due, once more. */
  mayMove(): boolean {
    this.#moves += 1;
    return this.#moves <= mostMoves;
  }

  next(): number | null {
    if (this.#ms > lastPushMs) return null;
    const ms = this.#ms;
    this.#ms *= 2;
    return ms;
  }

  reset(): void {
    this.#ms = firstPushMs;
    this.#moves = 0;
  }
}

function finishedJob<Result>(job: Job<Result>): FinishedJob<Result> {
  const errors = job.attempts.flatMap(({ error }) => (error === undefined ? [] : [error]));
  return { ...job, status: job.status as FinishedJob["status"], errors };
}
