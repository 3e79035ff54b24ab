import type { Finish, GiveUp, RetryLater, Snooze } from "../outcomes/outcome.ts";
import { didYouMean } from "../values/nearest-name.ts";
import { DefinitionError } from "./definition-error.ts";
import type { StageContext } from "./stage-context.ts";

/** A stage with it has a batch handler, which is called once for many jobs. */
export interface BatchOption {
  readonly batch: Batching;
}

/** A handler of one job. The compiler must know, or it would take the option for one that it may overlook. */
export interface NoBatch {
  readonly batch?: undefined;
}

/** How jobs are gathered for one call of a batch handler. */
export interface Batching {
  /** The most jobs of one call. */
  readonly size: number;
  /** How long the first of them waits for others; default 50. */
  readonly waitMs?: number | undefined;
}

export interface CompleteBatching {
  readonly size: number;
  readonly waitMs: number;
}

/** What a batch handler receives besides its jobs. */
export interface BatchContext {
  /** Aborts when those of all jobs that still run have: on timeout, a lost lease and shutdown, or when each was cancelled. */
  readonly signal: AbortSignal;
}

/** A batch handler with its types forgotten, as the engine calls it. */
export type BatchHandler = (jobs: readonly StageContext[], call: BatchContext) => unknown;

/** What a batch handler returns: an answer for each job, in the order of the jobs, or one for all of them. */
// biome-ignore lint/suspicious/noConfusingVoidType: an async function that returns nothing returns this, and undefined would refuse it.
export type BatchAnswers = readonly unknown[] | GiveUp | RetryLater | Snooze | Finish<unknown> | void;

/** What a batch handler answers for one of its jobs, as a handler of single jobs would return it. */
export type AnswerForEach<Answers> =
  Awaited<Answers> extends infer All ? (All extends readonly (infer Each)[] ? Awaited<Each> : All) : never;

const mostJobs = 1_000;
const longestWaitMs = 60_000;
const defaultWaitMs = 50;
const partNames = ["size", "waitMs"];

/** Checks how a stage's jobs are gathered; `where` names the stage in the refusal. */
export function completeBatching(batching: unknown, where: string): CompleteBatching {
  if (typeof batching !== "object" || batching === null) {
    throw new DefinitionError(`batch of ${where} must be an object such as { size: 100, waitMs: 50 }.`);
  }
  const unknown = Object.keys(batching).find((key) => !partNames.includes(key));
  if (unknown !== undefined) {
    throw new DefinitionError(
      `Unknown part "${unknown}" of batch of ${where}.${didYouMean(unknown, partNames)}`,
    );
  }
  const { size, waitMs = defaultWaitMs } = batching as Partial<Batching>;
  if (!isWholeNumber(size, 1, mostJobs)) {
    throw new DefinitionError(`batch.size of ${where} must be a whole number from 1 to ${mostJobs}.`);
  }
  if (!isWholeNumber(waitMs, 0, longestWaitMs)) {
    throw new DefinitionError(
      `batch.waitMs of ${where} must be a whole number of milliseconds from 0 to ${longestWaitMs}.`,
    );
  }
  return { size, waitMs };
}

function isWholeNumber(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}
