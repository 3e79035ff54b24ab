/** What one check of the database found, and what mends it. */
export interface Finding {
  readonly check: string;
  readonly severity: "ok" | "warn" | "bad";
  readonly finding: string;
  readonly advice: string | null;
  /** SQL that mends it, where SQL can. */
  readonly repairSql: string | null;
}
