import type { BudgetPer } from "../../jobs/budgets/budget.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";

/** A budget as the database knows it, wherever it was defined. */
export interface BudgetInfo {
  readonly name: string;
  readonly per: BudgetPer;
  readonly unit: string | null;
  /** The limit that holds now for each scope without one of its own. */
  readonly limit: number;
  /** The limit that the code has. */
  readonly definedLimit: number;
  /** Null: its period never ends. */
  readonly everyMs: number | null;
  /** When the period ends. */
  readonly turnsAt: Date | null;
  /** The pipelines that list it. */
  readonly pipelines: readonly string[];
  /** How many owners, groups or pipelines have a limit of their own, counted up to 10,000. */
  readonly scopesWithLimits: number;
  /** How many jobs wait for it, and of how many scopes, each counted up to 10,000. */
  readonly waitingJobs: number;
  readonly waitingScopes: number;
}

/** What one scope of a budget has spent in one period. */
export interface BudgetUsage {
  /** The owner, group or pipeline; "" for the jobs that have none, and of a budget in total. */
  readonly scope: string;
  readonly periodBegan: Date;
  /** When the period ends; null: never. */
  readonly turnsAt: Date | null;
  /** The limit that the scope has now, whatever it was then. */
  readonly limit: number;
  /** Whether that was set for this scope. */
  readonly isOwnLimit: boolean;
  /** By attempts that have ended and by those that run. */
  readonly spent: number;
  /** What those that run may spend beyond that. */
  readonly reserved: number;
  /** How many jobs run, or are about to. */
  readonly running: number;
  /** How many attempts have ended. */
  readonly attempts: number;
  /** How many jobs wait for room, counted up to 10,000; only in the current period. */
  readonly waiting: number;
}

/** How a scope stands in the current period. */
export type FullScope = Pick<BudgetUsage, "scope" | "limit" | "spent" | "reserved" | "waiting">;

/** How much of a budget is in use in its current period. */
export interface BudgetTotals {
  readonly name: string;
  /** Of all scopes together. */
  readonly spent: number;
  readonly reserved: number;
  /** How many scopes have spent, run or wait. */
  readonly scopes: number;
  /** The ten of them that are nearest to their limit or above it, the fullest first. */
  readonly fullest: readonly FullScope[];
}

/** Which part of the usage to read. */
export interface BudgetUsageFilter {
  readonly scope?: string | undefined;
  /** Only periods that began then or later. */
  readonly since?: Date | undefined;
  /** The last row of the page before. */
  readonly after?: Pick<BudgetUsage, "periodBegan" | "scope"> | undefined;
  /** From 1 to 1,000; 100 unless told. */
  readonly limit?: number | undefined;
}

/** A limit to be set. */
export interface NewBudgetLimit {
  readonly name: string;
  /** Null takes back what was set. */
  readonly limit: number | null;
  /** Null: of all scopes. */
  readonly scope: string | null;
  /** Null: the caller records who does it. */
  readonly by: string | null;
  readonly reason: string | null;
}

const functions = {
  list: sqlFunction("read_budgets", []),
  totals: sqlFunction("read_budget_totals", []),
  usage: sqlFunction("read_budget_usage", [
    ...(["p_name", "p_scope", "p_since", "p_after_period", "p_after_scope", "p_limit"] as const),
  ]),
  setLimit: sqlFunction("set_budget_limit", [
    ...(["p_name", "p_limit", "p_scope", "p_by", "p_reason", "p_is_recorded"] as const),
  ]),
};

/** The budgets for people: what is spent, and what may be. On the pool or in a transaction. */
export class BudgetLimits {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async list(): Promise<BudgetInfo[]> {
    const rows = await this.#database.query<BudgetRow>(functions.list());
    return rows.map((row) => ({
      name: row.name,
      per: row.per,
      unit: row.unit,
      limit: Number(row.limit_now),
      definedLimit: Number(row.defined_limit),
      everyMs: row.every_ms === null ? null : Number(row.every_ms),
      turnsAt: row.turns_at,
      pipelines: row.pipelines,
      scopesWithLimits: row.scopes_with_limits,
      waitingJobs: row.waiting_jobs,
      waitingScopes: row.waiting_scopes,
    }));
  }

  /** By name. */
  async totals(): Promise<BudgetTotals[]> {
    const rows = await this.#database.query<TotalsRow>(functions.totals());
    return rows.map((row) => ({ ...row, spent: Number(row.spent), reserved: Number(row.reserved) }));
  }

  /** The newest period first, then by scope. */
  async usage(name: string, filter: BudgetUsageFilter): Promise<BudgetUsage[]> {
    const { scope = null, since = null, after, limit = 100 } = filter;
    const rows = await this.#database.query<UsageRow>(
      functions.usage(name, scope, since, after?.periodBegan ?? null, after?.scope ?? null, limit),
    );
    return rows.map((row) => ({
      scope: row.scope,
      periodBegan: row.period_began,
      turnsAt: row.turns_at,
      limit: Number(row.limit_now),
      isOwnLimit: row.is_own_limit,
      spent: Number(row.spent),
      reserved: Number(row.reserved),
      running: row.running,
      attempts: Number(row.attempts),
      waiting: row.waiting,
    }));
  }

  /** Says whether that changed anything. */
  async setLimit({ name, limit, scope, by, reason }: NewBudgetLimit): Promise<boolean> {
    const [row] = await this.#database.query<{ set_budget_limit: boolean }>(
      functions.setLimit(name, limit, scope, by, reason, by === null),
    );
    return row?.set_budget_limit ?? false;
  }
}

interface BudgetRow {
  name: string;
  per: BudgetPer;
  unit: string | null;
  limit_now: string;
  defined_limit: string;
  every_ms: string | null;
  turns_at: Date | null;
  pipelines: string[];
  scopes_with_limits: number;
  waiting_jobs: number;
  waiting_scopes: number;
}

interface TotalsRow {
  name: string;
  spent: string;
  reserved: string;
  scopes: number;
  fullest: FullScope[];
}

interface UsageRow {
  scope: string;
  period_began: Date;
  turns_at: Date | null;
  limit_now: string;
  is_own_limit: boolean;
  spent: string;
  reserved: string;
  running: number;
  attempts: string;
  waiting: number;
}
