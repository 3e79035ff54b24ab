/** What of the database server's state the queue depends on. */
export interface DatabaseHealth {
  /** Of the table of live jobs, as the server's statistics know it. */
  readonly deadRows: number;
  readonly liveRows: number;
  /** Of those that hold back vacuum and can be seen; null when there is none. */
  readonly oldestTransactionMs: number | null;
}
