/** An entry of the realtime log as it comes over HTTP. */
export interface LiveJobEvent {
  readonly kind: string;
  readonly at: string;
  readonly jobId: string;
  readonly pipeline: string;
  readonly stage: string;
  readonly owner: string | null;
  readonly detail: {
    readonly attempt?: number;
    readonly nextStage?: string;
    readonly error?: { readonly name?: string; readonly message?: string };
    readonly percent?: number;
    readonly note?: string;
    readonly data?: unknown;
    readonly result?: unknown;
    readonly resultLeftOut?: true;
  };
}

/** The states that a stream may carry beside the log: the latest of each is all that counts. */
export const stateTopics = ["stats", "workers", "rows", "list"] as const;
/** A topic whose messages are states, of which only the latest counts. */
export type StateTopic = (typeof stateTopics)[number];

/** A message of a stream: an event of a job, a state, or word that events are missing. */
export type LiveMessage =
  | { readonly type: "job"; readonly event: LiveJobEvent; readonly cursor: string }
  /** Events were lost for good: read again whatever was built on them. Later ones follow. */
  | { readonly type: "reset"; readonly cursor: string }
  | { readonly type: StateTopic; readonly data: unknown };
