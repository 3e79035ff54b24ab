/** What one scope of a budget has spent in one period, as a server answers; a test compares it with the server's contract. */
export interface BudgetUsageAnswer {
  /** The owner, group or pipeline; empty for the jobs that have none, and of a budget in total. */
  scope: string;
  periodBegan: string;
  /** When the period ends; null: never. */
  turnsAt: string | null;
  /** What the scope may spend in a period, as it is now. */
  limit: number;
  /** Whether that was set for this scope. */
  isOwnLimit: boolean;
  /** By attempts that have ended and by those that run. */
  spent: number;
  /** What those that run may spend beyond that. */
  reserved: number;
  running: number;
  attempts: number;
  /** How many jobs wait for room; only in the current period. */
  waiting: number;
}

/** A page of usage, the newest period first. */
export interface BudgetUsagePage {
  data: readonly BudgetUsageAnswer[];
  page: { next: string | null; previous: string | null; hasMore: boolean };
}

/** A scope that is near its limit, or above it. */
export interface FullScopeAnswer {
  scope: string;
  limit: number;
  spent: number;
  reserved: number;
  waiting: number;
}

/** A budget, and how much of it is in use in its current period. */
export interface BudgetAnswer {
  name: string;
  /** Who has the limit for itself, as a scope of the budget. */
  per: "owner" | "group" | "pipeline" | "total";
  unit: string | null;
  /** What each scope may spend that has no limit of its own. */
  limit: number;
  definedLimit: number;
  /** Null: its period never ends. */
  everyMs: number | null;
  turnsAt: string | null;
  pipelines: readonly string[];
  scopesWithLimits: number;
  waitingJobs: number;
  waitingScopes: number;
  /** By all scopes together. */
  spent: number;
  reserved: number;
  scopes: number;
  /** The ten scopes that are nearest to their limit, the fullest first. */
  fullest: readonly FullScopeAnswer[];
}

/** What became of a limit. */
export interface BudgetLimitAnswer {
  name: string;
  /** Null: the limit of the whole budget. */
  scope: string | null;
  /** Null: what was set is taken back. */
  limit: number | null;
  /** False: it was already so. */
  changed: boolean;
}

/** Which part of the usage to read. */
export interface BudgetUsageQuery {
  readonly scope?: string | undefined;
  /** Only periods that began then or later. */
  readonly since?: Date | undefined;
  /** `page.next` of the page before. */
  readonly cursor?: string | undefined;
  /** From 1 to 200; 50 unless told. */
  readonly limit?: number | undefined;
}
