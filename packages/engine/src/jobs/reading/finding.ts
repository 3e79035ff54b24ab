/** What one check of the database found, and how to repair it. */
export interface Finding {
  readonly check: string;
  readonly severity: "ok" | "warn" | "bad";
  readonly finding: string;
  readonly advice: string | null;
  /** SQL that repairs it, if SQL can. */
  readonly repairSql: string | null;
}
