import type { Children } from "../outcomes/job-outcome.ts";
import type { Once } from "../outcomes/once.ts";
import type { GiveUp } from "../outcomes/outcome.ts";
import type { JobId } from "../reading/job.ts";
import type { ScheduleTick } from "../schedules/tick-of.ts";
import type { JobStream } from "../streams/job-stream.ts";

/** What a handler receives for one attempt of its stage. */
export interface StageContext<
  Payload = unknown,
  Output = unknown,
  Outputs = Readonly<Record<string, unknown>>,
  Child = unknown,
> {
  readonly jobId: JobId;
  readonly pipeline: string;
  readonly stage: string;
  readonly payload: Payload;
  /** What the previous stage returned; undefined in the first stage. */
  readonly output: Output;
  /** What every earlier stage returned, by stage name. */
  readonly outputs: Outputs;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly owner: string | null;
  readonly tags: readonly string[];
  readonly groupKey: string | null;
  /** The schedule that added the job and the tick it is for; null for a job that somebody added. */
  readonly schedule: ScheduleTick | null;
  /** What the job has waited for: the children of its last fan-out, or the jobs of the batch it follows. */
  readonly children: Children<Child>;
  /** Aborts on timeout, cancel, a lost lease and shutdown; pass it on to whatever the handler waits for. */
  readonly signal: AbortSignal;
  /** Safe to call often: what comes quickly is written together. */
  progress(percent: number, note?: string, data?: unknown): void;
  readonly log: StageLog;
  /** A folder of this attempt's own, made at the first call and gone when the attempt ends. */
  tempFolder(): Promise<string>;
  /**
   * Does something outside the database (a mail, a payment, a model call) and records it under the key, so that a later
   * attempt of this job, in this stage or another, gets what it returned instead of doing it again.
   */
  readonly once: Once;
  /**
   * Says that the attempt has spent so much of a budget that the pipeline lists. Resolves when it is durable: it stays spent whatever becomes
   * of the attempt. Nobody need wait for it, since the end of the attempt does.
   */
  spend(budget: string, amount: number): Promise<void>;
  /**
   * Gives the job a key by which `engine.signalByKey` finds it, such as the id that another system has given this order. Throws a
   * RefusedError if another live job of the pipeline has it, and a LeaseLostError when another worker may have the job.
   */
  signalKey(key: string): Promise<void>;
  /**
   * A stream of this job, to which browsers and programs listen while it is written. A retry begins it anew, and readers are told to forget
   * what they had; or it goes on, see `written()`.
   */
  stream<Chunk = unknown>(name: string): JobStream<Chunk>;
  /**
   * Ends this stage in a transaction of the handler's own: its writes and the transition commit together or not at all.
   * Resolves to the output, to be returned. Throws LeaseLostError when another worker may have the job.
   */
  completeIn<StageOutput>(tx: object, output: StageOutput): Promise<StageOutput>;
  /**
   * Fails the job for good in a transaction of the handler's own, whatever attempts are left. Resolves to an answer, to be
   * returned. Throws LeaseLostError when another worker may have the job.
   */
  failIn(tx: object, reason: unknown): Promise<GiveUp>;
  /** Throws LeaseLostError unless this attempt still holds its job. If it does, nobody can take the job before the transaction ends. */
  assertLease(tx: object): Promise<void>;
}

/** The log of one attempt: its lines are kept with the job, and shown in the console. */
export interface StageLog {
  debug(message: string, data?: unknown): void;
  info(message: string, data?: unknown): void;
  warn(message: string, data?: unknown): void;
  error(message: string, data?: unknown): void;
}
