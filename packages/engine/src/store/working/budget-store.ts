import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import type { Claim } from "./claim.ts";

type Held = Pick<Claim, "jobId" | "token">;

/** What an attempt has spent of a budget so far. */
export interface Spent {
  readonly claim: Held;
  readonly budget: string;
  readonly total: number;
}

/** What the code of its stage has estimated for a job. */
export interface Reservation {
  readonly claim: Held;
  readonly amounts: Readonly<Record<string, number>>;
}

export interface BudgetAnswer {
  readonly answer: "applied" | "reserved" | "waits" | "lease_lost" | "busy" | "refused";
  readonly detail: string | null;
}

const functions = {
  spend: sqlFunction("spend_budgets", ["p_spends"]),
  reserve: sqlFunction("reserve_budgets", ["p_jobs"]),
};

/** What workers tell of budgets. */
export class BudgetStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  /** An answer for each, in their order. */
  async spend(spends: readonly Spent[]): Promise<BudgetAnswer[]> {
    const items = spends.map(({ claim, budget, total }) => ({
      id: claim.jobId,
      token: claim.token,
      budget,
      total,
    }));
    return answersOf(items.length, await this.#database.query(functions.spend(JSON.stringify(items))));
  }

  /** An answer for each, in their order. */
  async reserve(jobs: readonly Reservation[]): Promise<BudgetAnswer[]> {
    const items = jobs.map(({ claim, amounts }) => ({ id: claim.jobId, token: claim.token, amounts }));
    return answersOf(items.length, await this.#database.query(functions.reserve(JSON.stringify(items))));
  }
}

function answersOf(count: number, rows: readonly (BudgetAnswer & { number: number })[]): BudgetAnswer[] {
  const answers = new Map(rows.map((row) => [row.number, row]));
  return Array.from({ length: count }, (_, index) => {
    const { answer = "lease_lost" as const, detail = null } = answers.get(index + 1) ?? {};
    return { answer, detail };
  });
}
