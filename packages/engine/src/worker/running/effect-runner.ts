import type { Clock } from "../../clock.ts";
import { sumOf } from "../../jobs/budgets/amount.ts";
import { EffectInDoubtError, InvalidEffectError } from "../../jobs/outcomes/effect-errors.ts";
import { LeaseLostError } from "../../jobs/outcomes/lease-lost-error.ts";
import {
  checkedOnce,
  type EffectCall,
  type EffectFunction,
  type UnknownPolicy,
} from "../../jobs/outcomes/once.ts";
import { outcomeOfAnswer } from "../../jobs/outcomes/outcome.ts";
import { leavesOpen } from "../../jobs/outcomes/unknown-outcome-error.ts";
import type { StageLog } from "../../jobs/pipelines/stage-context.ts";
import { encodeOutput, InvalidOutputError } from "../../jobs/values/json-value.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { ClaimKey } from "../../store/working/claim.ts";
import type { EffectStore } from "../../store/working/effect-store.ts";
import { withinGrace } from "./within-grace.ts";

export interface EffectRunnerParts {
  readonly store: Pick<EffectStore, "begin" | "finish" | "fail">;
  readonly clock: Clock;
  /** How long an attempt may wait for the ledger after its signal has aborted. */
  readonly graceMs: number;
  /** Whether this worker is still sure of its lease, asked at this very moment. */
  readonly isTrusted: () => boolean;
  /** Whether a claim that the ledger does not know was only forgotten in a crash of PostgreSQL, and holds again. */
  readonly isStillHeld: (claim: ClaimKey) => Promise<boolean>;
  /** This claim is not this worker's any more. The job may be, under a later one. */
  readonly onLost: (claim: ClaimKey) => void;
}

/** What it needs of the attempt whose effects it runs. */
export interface EffectRun {
  readonly claim: ClaimKey;
  readonly signal: AbortSignal;
  readonly log: StageLog;
  readonly spend: (budget: string, amount: number) => Promise<void>;
  /** Throws if that cannot be spent. */
  readonly checkSpend: (budget: string, amount: number) => void;
}

/** What an effect has spent, by the names of budgets. */
type SpentByEffect = Map<string, number>;

const sendAgainMs = 500;

/** Runs the effects of one attempt: asks the ledger before, and tells it afterwards. */
export class EffectRunner {
  readonly #run: EffectRun;
  readonly #parts: EffectRunnerParts;
  // The ledger refuses a second start too, but cannot tell it from a first one that is sent again.
  readonly #running = new Set<string>();

  constructor(run: EffectRun, parts: EffectRunnerParts) {
    this.#run = run;
    this.#parts = parts;
  }

  async once(key: string, run: EffectFunction<unknown>, options?: unknown): Promise<unknown> {
    const policy = checkedOnce(key, run, options);
    if (this.#running.has(key)) {
      throw new InvalidEffectError(
        `Effect "${key}" of job ${this.#jobId} is running in this attempt already: wait for it, or give the second one a key of its own.`,
      );
    }
    this.#run.signal.throwIfAborted();
    this.#running.add(key);
    try {
      return await this.#perform(key, run, policy);
    } finally {
      this.#running.delete(key);
    }
  }

  async #perform(key: string, run: EffectFunction<unknown>, policy: UnknownPolicy): Promise<unknown> {
    const { store } = this.#parts;
    const begun = await this.#underClaim(
      (isResent) => store.begin(this.#run.claim, key, { retriesUnknown: policy === "retry", isResent }),
      ({ answer }) => answer,
    );
    switch (begun.answer) {
      case "lease_lost":
        throw this.#lost(`Effect "${key}" was not begun.`);
      case "done":
        return begun.value;
      case "unknown":
        if (policy === "fail") throw new EffectInDoubtError(this.#jobId, key, begun.idempotencyKey);
        this.#run.log.warn(`Effect "${key}" may have happened in an earlier attempt and is skipped`);
        return null;
      case "run":
        if (begun.mayHaveHappened) {
          this.#run.log.warn(
            `Effect "${key}" may have happened in an earlier attempt; it runs again with the same idempotency key`,
          );
        }
        return await this.#runAndFinish(key, run, begun);
    }
  }

  async #runAndFinish(
    key: string,
    run: EffectFunction<unknown>,
    begun: Pick<EffectCall, "idempotencyKey" | "mayHaveHappened">,
  ): Promise<unknown> {
    const spent: SpentByEffect = new Map();
    const spend = (budget: string, amount: number) => {
      this.#run.checkSpend(budget, amount);
      spent.set(budget, sumOf(spent.get(budget) ?? 0, amount));
    };
    const value = await this.#call(key, run, { ...begun, spend }, spent);
    return await this.#finish(key, value, spent);
  }

  async #call(
    key: string,
    run: EffectFunction<unknown>,
    { idempotencyKey, mayHaveHappened, spend }: Omit<EffectCall, "signal">,
    spent: SpentByEffect,
  ): Promise<unknown> {
    const { signal } = this.#run;
    // A process that stood still may have lost its lease between the ledger's answer and now.
    if (signal.aborted || !this.#parts.isTrusted()) {
      await this.#stopped(key, false);
      signal.throwIfAborted();
      throw this.#lost(`Effect "${key}" was not run.`);
    }
    try {
      const value = await run({ idempotencyKey, mayHaveHappened, signal, spend });
      // giveUp, retryLater and snooze are meant for the engine, and are not what an effect returned.
      if (outcomeOfAnswer(value).kind !== "done") throw value;
      return value;
    } catch (thrown) {
      // Without a record of the effect, it is the attempt that has spent it; the end of the attempt waits for that.
      for (const [budget, amount] of spent) void this.#run.spend(budget, amount).catch(() => {});
      await this.#stopped(key, signal.aborted || leavesOpen(thrown));
      throw thrown;
    }
  }

  async #finish(key: string, value: unknown, spent: SpentByEffect): Promise<unknown> {
    const { json, refusal } = this.#encoded(key, value);
    const answer = await this.#underClaim(
      () => this.#parts.store.finish(this.#run.claim, key, json, spent),
      (told) => told,
    );
    if (answer === "lease_lost") throw this.#lost(`Effect "${key}" has happened, and the ledger was told.`);
    if (refusal !== null) throw refusal;
    // As a later attempt reads it from the ledger, not as it was returned.
    return json === null ? undefined : JSON.parse(json);
  }

  /** A value that cannot be stored does not undo the effect, which is recorded as done without it. */
  #encoded(key: string, value: unknown): { json: string | null; refusal: Error | null } {
    try {
      return { json: encodeOutput(value), refusal: null };
    } catch (thrown) {
      if (!(thrown instanceof InvalidOutputError)) throw thrown;
      const refusal = new InvalidOutputError(
        `Effect "${key}" of job ${this.#jobId} has happened, but what it returned cannot be stored; the ledger records it as done without a value. ${thrown.message}`,
        thrown.pointer,
        { cause: thrown },
      );
      return { json: null, refusal };
    }
  }

  /** Never rejects: what the effect threw is what the handler must hear, and an open start is unknown anyway. */
  async #stopped(key: string, mayHaveHappened: boolean): Promise<void> {
    await this.#persistently(() => this.#parts.store.fail(this.#run.claim, key, mayHaveHappened)).catch(
      () => {},
    );
  }

  /** Asks once more when the claim was only forgotten. */
  async #underClaim<Answer>(
    call: (isResent: boolean) => Promise<Answer>,
    wordOf: (answer: Answer) => string,
  ): Promise<Answer> {
    const answer = await this.#persistently(call);
    if (wordOf(answer) !== "lease_lost") return answer;
    const isHeld = await this.#persistently(() => this.#parts.isStillHeld(this.#run.claim));
    return isHeld ? await this.#persistently(call) : answer;
  }

  /** Sends again while the database is away, until the attempt is told to stop. */
  async #persistently<Answer>(call: (isResent: boolean) => Promise<Answer>): Promise<Answer> {
    const { clock, graceMs } = this.#parts;
    const { signal } = this.#run;
    for (let isResent = false; ; isResent = true) {
      try {
        return await withinGrace(call(isResent), { signal, clock, graceMs });
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal || signal.aborted) throw error;
        await clock.sleep(sendAgainMs, signal);
      }
    }
  }

  #lost(sentence: string): LeaseLostError {
    this.#parts.onLost(this.#run.claim);
    return new LeaseLostError(this.#jobId, sentence);
  }

  get #jobId(): string {
    return this.#run.claim.jobId;
  }
}
