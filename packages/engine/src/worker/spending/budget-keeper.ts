import type { Clock } from "../../clock.ts";
import { InvalidSpendError } from "../../jobs/budgets/invalid-spend-error.ts";
import { LeaseLostError } from "../../jobs/outcomes/lease-lost-error.ts";
import { DatabaseUnavailableError } from "../../store/connections/database-error.ts";
import type { BudgetAnswer, BudgetStore, Reservation, Spent } from "../../store/working/budget-store.ts";
import type { ClaimKey } from "../../store/working/claim.ts";
import { withinGrace } from "../running/within-grace.ts";
import { GatheredCalls } from "./gathered-calls.ts";

export interface BudgetKeeperParts {
  readonly store: Pick<BudgetStore, "spend" | "reserve">;
  readonly clock: Clock;
  /** How long an attempt may wait for PostgreSQL after its signal has aborted. */
  readonly graceMs: number;
  /** Whether a claim that PostgreSQL does not know was only forgotten in a crash, and holds again. */
  readonly isStillHeld: (claim: ClaimKey) => Promise<boolean>;
  /** This claim is not this worker's any more. */
  readonly onLost: (claim: ClaimKey) => void;
}

/** What it needs of the attempt that spends. */
export interface SpendingRun {
  readonly claim: ClaimKey;
  readonly signal: AbortSignal;
}

const resendMs = 500;
const busyMs = 20;

/** Tells the database what the attempts of this worker spend, and reserves what their code has estimated: many jobs in one call. */
export class BudgetKeeper {
  readonly #parts: BudgetKeeperParts;
  readonly #spends: GatheredCalls<Spent, BudgetAnswer>;
  readonly #reservations: GatheredCalls<Reservation, BudgetAnswer>;

  constructor(parts: BudgetKeeperParts) {
    this.#parts = parts;
    this.#spends = new GatheredCalls((spends) => parts.store.spend(spends));
    this.#reservations = new GatheredCalls((jobs) => parts.store.reserve(jobs));
  }

  /** Resolves when it is durable that the attempt has spent so much of the budget in all. */
  async spend(run: SpendingRun, budget: string, total: number): Promise<void> {
    const { claim } = run;
    const key = `${claim.token} ${claim.jobId} ${budget}`;
    await this.#ask(run, `What it has spent of budget "${budget}" is not counted.`, () =>
      this.#spends.add(key, { claim, budget, total }),
    );
  }

  /** Says whether the handler may run; otherwise the job has been put back until there is room. */
  async reserve(run: SpendingRun, amounts: Readonly<Record<string, number>>): Promise<boolean> {
    const { claim } = run;
    const answer = await this.#ask(run, "Nothing was reserved for it.", () =>
      this.#reservations.add(`${claim.token} ${claim.jobId}`, { claim, amounts }),
    );
    return answer === "reserved";
  }

  /** Sends again while the database is away, until the attempt is told to stop. */
  async #ask(
    run: SpendingRun,
    lostSentence: string,
    send: () => Promise<BudgetAnswer>,
  ): Promise<BudgetAnswer["answer"]> {
    const { clock, graceMs, isStillHeld, onLost } = this.#parts;
    const { signal } = run;
    const { jobId } = run.claim;
    let isDoubted = false;
    for (;;) {
      try {
        const { answer, detail } = await withinGrace(send(), { signal, clock, graceMs });
        if (answer === "refused") throw new InvalidSpendError(detail ?? `Job ${jobId} cannot spend that.`);
        if (answer === "busy") {
          await clock.sleep(busyMs, signal);
          signal.throwIfAborted();
        } else if (answer !== "lease_lost") {
          return answer;
        } else if (isDoubted || !(await isStillHeld(run.claim))) {
          onLost(run.claim);
          throw new LeaseLostError(jobId, lostSentence);
        } else {
          // A crash of PostgreSQL had forgotten the claim, and presenting it has brought it back.
          isDoubted = true;
        }
      } catch (error) {
        if (!(error instanceof DatabaseUnavailableError) || error.isFinal || signal.aborted) throw error;
        await clock.sleep(resendMs, signal);
      }
    }
  }
}
