import { createRequire } from "node:module";
import { join } from "node:path";
import { CliError } from "../errors/cli-error.ts";
import { checkVersion } from "./check-version.ts";

/** What is used of BullMQ 6, on Redis or on PostgreSQL. */
export interface BullMqLibrary {
  readonly Queue: new (name: string, options: object, backend?: unknown) => BullMqQueue;
  readonly createPostgresBackend?: unknown;
}

export type JobState = "waiting" | "paused" | "prioritized" | "delayed" | "active" | "waiting-children";

export interface BullMqQueue {
  on(event: "error", listener: (error: Error) => void): void;
  waitUntilReady(): Promise<unknown>;
  getVersion(): Promise<string | null>;
  getJobCounts(...states: JobState[]): Promise<Partial<Record<JobState, number>>>;
  getJobs(states: JobState[], start: number, end: number, isAscending: boolean): Promise<BullMqJob[]>;
  isPaused(): Promise<boolean>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** 1: it is gone. */
  remove(id: string, options: { removeChildren: boolean }): Promise<number>;
  getJobSchedulers(start: number, end: number, isAscending: boolean): Promise<JobScheduler[]>;
  removeJobScheduler(key: string): Promise<boolean>;
  close(): Promise<void>;
}

export interface BullMqJob {
  readonly id?: string;
  readonly name: string;
  readonly data: unknown;
  readonly opts: { readonly jobId?: string };
  readonly timestamp: number;
  readonly delay: number;
  readonly priority: number;
  readonly attemptsMade: number;
  readonly deduplicationId?: string;
  readonly repeatJobKey?: string;
  readonly parentKey?: string;
  getDependenciesCount(): Promise<Partial<Record<string, number>>>;
}

export interface JobScheduler {
  readonly key: string;
  readonly pattern?: string | null;
  readonly every?: number | null;
  readonly tz?: string | null;
  readonly limit?: number | null;
  readonly startDate?: number | null;
  readonly endDate?: number | null;
  readonly template?: { readonly data?: unknown; readonly opts?: { readonly priority?: number } };
}

// Its methods are its public interface, which a major version keeps.
const knownMajors = ["6"];

/** The BullMQ of the project that the command is run in: nobody else need install it. */
export function loadBullMq(folder: string, isForced: boolean): BullMqLibrary {
  const fromProject = createRequire(join(folder, "package.json"));
  let library: BullMqLibrary;
  try {
    library = fromProject("bullmq");
  } catch (cause) {
    throw new CliError({
      exit: "failed",
      code: "import.library",
      message: "BullMQ cannot be loaded from this folder.",
      why: cause instanceof Error ? cause.message.split("\n")[0] : String(cause),
      advice: "Run the command where your project has it, or install it: npm install bullmq ioredis",
      cause,
    });
  }
  const { version } = fromProject("bullmq/package.json") as { version: string };
  checkVersion({
    whose: "BullMQ",
    what: "library",
    found: version.split(".")[0] ?? version,
    known: knownMajors,
    isForced,
  });
  return library;
}
