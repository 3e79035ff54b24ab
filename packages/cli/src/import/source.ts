/** The queues that jobs can be taken over from. */
export type SourceKind = "pg-boss" | "graphile-worker" | "bullmq";

/** A job that waits in another queue, in the words of this one. */
export interface SourceJob {
  readonly id: string;
  /** The same each time it is read, and that of no other job of any database: its id here is made of it. */
  readonly identity: string;
  readonly createdAt: Date;
  readonly payload: unknown;
  /** 1 to 20. */
  readonly priority: number;
  /** Null: it is due. */
  readonly scheduledFor: Date | null;
  readonly dedupKey: string | null;
  readonly groupKey: string | null;
  /** Beside the one that says where it comes from. */
  readonly tags: readonly string[];
  /** Why it must stay where it is. */
  readonly problem: string | null;
}

/** Where the next batch begins; null at the beginning, and when there is no more. */
export type Place = string | null;

export interface SourceBatch {
  readonly jobs: readonly SourceJob[];
  readonly next: Place;
}

/** How many jobs of a queue are in which state. */
export interface QueueCounts {
  readonly waiting: number;
  readonly scheduled: number;
  readonly retrying: number;
  /** They run at this moment, and stay where they are. */
  readonly running: number;
  /** Other jobs wait for them, or they for others; they stay too. */
  readonly bound: number;
  /** An import that was broken off holds them. */
  readonly held: number;
}

export interface SourceQueue extends QueueCounts {
  readonly name: string;
}

export interface SourceSchedule {
  readonly queue: string;
  /** What the source calls it; with the queue, its name there. */
  readonly key: string;
  /** Its name here. */
  readonly name: string;
  /** Null: `problem` says why it cannot be one here. */
  readonly cron: string | null;
  readonly timeZone: string;
  readonly payload: unknown;
  readonly priority: number;
  readonly problem: string | null;
}

/** Another queue with its jobs, while its own workers go on. */
export interface Source {
  readonly kind: SourceKind;
  /** Whether what it does joins an open transaction of Lockstep's database: they are one database. */
  readonly isShared: boolean;
  /** What nobody but a person can take over, a sentence each. */
  readonly remarks: readonly string[];
  queues(): Promise<readonly SourceQueue[]>;
  schedules(): Promise<readonly SourceSchedule[]>;
  /** Before the first batch of a queue is taken. */
  begin(queue: string): Promise<void>;
  /** Reads waiting jobs, in the order in which they came. */
  look(queue: string, after: Place, limit: number): Promise<SourceBatch>;
  /** The same, and from then on no worker of the source takes them, whatever becomes of this process. */
  take(queue: string, after: Place, limit: number): Promise<SourceBatch>;
  /** Taken jobs that are here now leave the source. Answers with those that it would not let go. */
  remove(queue: string, jobs: readonly SourceJob[]): Promise<readonly SourceJob[]>;
  /** Taken jobs are again as they were. */
  giveBack(queue: string, jobs: readonly SourceJob[]): Promise<void>;
  removeSchedule(schedule: SourceSchedule): Promise<void>;
  /** After the last batch of a queue. */
  end(queue: string): Promise<void>;
  close(): Promise<void>;
}
