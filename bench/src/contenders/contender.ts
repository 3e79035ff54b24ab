export interface Payload {
  readonly n: number;
  /** On the clock that all processes of this machine share. */
  readonly sentAtMs: number;
  readonly filler: string;
}

/** What the harness calls for each job; a promise only where the job has something to wait for. */
export type Handle = (payload: Payload) => Promise<void> | undefined;

export interface WorkOptions {
  /** A job runs through this many handlers; `handle` is called in the last one. */
  readonly stages: number;
  /** Null: as many as this configuration would choose itself. */
  readonly processors: number | null;
  /** Whether a backlog waits, rather than single jobs now and then: each configuration may be the best one for it. */
  readonly isBusy: boolean;
  readonly handle: Handle;
}

/** A finished job's row, and what must differ in a copy of it, as SQL expressions. */
export interface HistoryTable {
  readonly table: string;
  readonly fresh: Readonly<Record<string, string>>;
}

/** One connected queue: as a producer, as a worker, or as both. */
export interface Driver {
  /** Many jobs in the fastest documented way. */
  addMany(payloads: readonly Payload[], stages: number): Promise<void>;
  /** One job in a call of its own. */
  add(payload: Payload): Promise<unknown>;
  /** Resolves when the worker looks for jobs; the answer stops it. */
  work(options: WorkOptions): Promise<() => Promise<void>>;
  /** Nothing waits and nothing is held: every settle has been committed. */
  isDrained(): Promise<boolean>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly url: string;
  /** The best documented configuration, or what one gets without any. */
  readonly isTuned: boolean;
  /** Imports a package from the folder of the peers. */
  readonly load: (packageName: string) => Promise<unknown>;
}

/** What a file in contenders/ exports: one queue behind the interface that all share. */
export interface ContenderModule {
  /** Where finished jobs are kept; null where none are. */
  readonly history: HistoryTable | null;
  /** Makes the queue's tables in an empty database, which is then cloned for each run. */
  install(options: OpenOptions): Promise<void>;
  open(options: OpenOptions): Promise<Driver>;
}
