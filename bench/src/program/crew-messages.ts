/** What a worker process is to do. */
export interface CrewWork {
  readonly stages: number;
  readonly processors: number | null;
  /** How long each job waits in its handler; 0 for no-op jobs. */
  readonly waitMs: number;
  /** The count to be told of at once, besides the regular reports. */
  readonly reportAt: number;
  /** Whether to report how long after its payload's time each handler began. */
  readonly isTimed: boolean;
  /** Whether there is a backlog; a queue that waits for single jobs may want another configuration. */
  readonly isBusy: boolean;
}

export type ToCrew =
  | { readonly kind: "open"; readonly url: string; readonly isTuned: boolean; readonly workers: number }
  | { readonly kind: "work"; readonly work: CrewWork }
  | { readonly kind: "usage" }
  | { readonly kind: "rest" }
  | { readonly kind: "close" };

/** What a process has used since it began. */
export interface Usage {
  readonly cpuMs: number;
  readonly peakRssBytes: number;
}

export type FromCrew =
  | { readonly kind: "done"; readonly what: "ready" | "open" | "work" | "rest" | "close" }
  | { readonly kind: "usage"; readonly usage: Usage }
  | {
      readonly kind: "count";
      readonly count: number;
      readonly atMs: number;
      readonly latenciesMs: readonly number[];
    }
  | { readonly kind: "error"; readonly message: string };
