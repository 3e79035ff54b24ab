/** What was taken from lost workers in the last hour. */
export interface RecoveredJobs {
  /** Given back, failed, or cancelled as somebody had asked. */
  readonly recovered: number;
  /** Those of them that were lost too often and given up. */
  readonly failed: number;
}
