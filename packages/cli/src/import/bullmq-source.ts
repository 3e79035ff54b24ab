import { CliError } from "../errors/cli-error.ts";
import { bullMqJob, bullMqSchedule } from "./bullmq-job.ts";
import type { BullMqJob, BullMqLibrary, BullMqQueue, JobState } from "./bullmq-library.ts";
import type { Place, Source, SourceBatch, SourceJob, SourceQueue, SourceSchedule } from "./source.ts";

export interface BullMqOptions {
  readonly library: BullMqLibrary;
  readonly url: string;
  /** Of its keys in Redis. */
  readonly prefix: string;
  /** Of its tables in PostgreSQL. */
  readonly schema: string;
  readonly names: readonly string[];
  /** Only jobs of this name. */
  readonly jobName: string | null;
  readonly now: () => Date;
}

/** How far a queue has been read. */
interface Progress {
  readonly isPausedByUs: boolean;
  /** What was removed makes the lists shorter while they are read. */
  removed: number;
}

/** The state that is read, how many jobs of it were read, and how many had been removed when the first of them was. */
interface ReadPlace {
  readonly index: number;
  readonly seen: number;
  readonly removedBefore?: number;
}

const firstPlace: ReadPlace = { index: 0, seen: 0 };
// What may become due while they are read moves to the later ones.
const states: readonly JobState[] = ["delayed", "prioritized", "paused", "waiting"];

/**
 * Queues of BullMQ, on Redis or PostgreSQL, through the project's own library. There is no way to hold single jobs, so a queue
 * is paused while its jobs are taken over: its workers finish what they run and begin nothing. Whoever is killed leaves it paused.
 */
export class BullMqSource implements Source {
  readonly kind = "bullmq";
  readonly isShared = false;
  readonly #options: BullMqOptions;
  readonly #isPostgres: boolean;
  readonly #queues = new Map<string, BullMqQueue>();
  readonly #progress = new Map<string, Progress>();
  readonly #remarks: string[] = [];

  constructor(options: BullMqOptions) {
    this.#options = options;
    this.#isPostgres = /^postgres(ql)?:/.test(options.url);
  }

  get remarks(): readonly string[] {
    return this.#remarks;
  }

  async queues(): Promise<SourceQueue[]> {
    const found: SourceQueue[] = [];
    for (const name of this.#options.names) {
      const queue = await this.#queue(name);
      const counts = await queue.getJobCounts(...states, "active", "waiting-children");
      const count = (state: JobState) => counts[state] ?? 0;
      const isThere = (await queue.getVersion()) !== null;
      if (!isThere) continue;
      found.push({
        name,
        waiting: count("waiting") + count("paused") + count("prioritized"),
        scheduled: count("delayed"),
        retrying: 0,
        running: count("active"),
        bound: count("waiting-children"),
        held: 0,
      });
    }
    return found;
  }

  async schedules(): Promise<SourceSchedule[]> {
    const all: SourceSchedule[] = [];
    for (const [name, queue] of this.#queues) {
      for (const scheduler of await queue.getJobSchedulers(0, -1, true)) {
        all.push(bullMqSchedule(name, scheduler));
      }
    }
    return all;
  }

  async begin(name: string): Promise<void> {
    const queue = await this.#queue(name);
    const isPausedByUs = !(await queue.isPaused());
    if (isPausedByUs) await queue.pause();
    else this.#remarks.push(`The queue ${name} was paused before, and stays so until \`queue.resume()\`.`);
    this.#progress.set(name, { isPausedByUs, removed: 0 });
  }

  look(name: string, after: Place, limit: number): Promise<SourceBatch> {
    return this.#read(name, after, limit, true);
  }

  async take(name: string, after: Place, limit: number): Promise<SourceBatch> {
    if (await (await this.#queue(name)).isPaused()) return await this.#read(name, after, limit, false);
    throw new CliError({
      exit: "conflict",
      code: "import.resumed",
      message: `The queue ${name} of BullMQ was resumed while its jobs were taken over.`,
      why: "Its workers could run what is being added here.",
      advice: "Run the import again, and let nobody resume the queue meanwhile.",
    });
  }

  async remove(name: string, jobs: readonly SourceJob[]): Promise<SourceJob[]> {
    const queue = await this.#queue(name);
    const answers = await Promise.all(
      jobs.map(({ id }) => queue.remove(id, { removeChildren: false }).catch(() => 0)),
    );
    const kept = jobs.filter((_, index) => answers[index] !== 1);
    const progress = this.#progress.get(name);
    // What it kept somebody has taken: that has left the lists too.
    if (progress !== undefined) progress.removed += jobs.length;
    return kept;
  }

  /** Nothing was done to them. */
  async giveBack(): Promise<void> {}

  async removeSchedule({ queue, key }: SourceSchedule): Promise<void> {
    await (await this.#queue(queue)).removeJobScheduler(key);
  }

  async end(name: string): Promise<void> {
    if (this.#progress.get(name)?.isPausedByUs) await (await this.#queue(name)).resume();
    this.#progress.delete(name);
  }

  async close(): Promise<void> {
    for (const queue of this.#queues.values()) await queue.close();
  }

  async #read(name: string, after: Place, limit: number, isLook: boolean): Promise<SourceBatch> {
    const queue = await this.#queue(name);
    const { jobName, now } = this.#options;
    const removed = this.#progress.get(name)?.removed ?? 0;
    const { index, seen, removedBefore = removed } = after === null ? firstPlace : placeOf(after);
    const state = states[index] as JobState;
    const jobs = await this.#page(queue, state, seen - (removed - removedBefore), limit);
    const schedulers = await queue.getJobSchedulers(0, -1, true);
    // When jobs are taken, the schedulers that could be taken over are gone.
    const staying = isLook
      ? schedulers.filter((one) => bullMqSchedule(name, one).problem !== null)
      : schedulers;
    const stays = (key: string) => this.#isPostgres || staying.some((one) => one.key === key);
    // The next run of a scheduler comes and goes with it.
    const isNextRun = ({ repeatJobKey }: BullMqJob) =>
      state === "delayed" && schedulers.some(({ key }) => key === repeatJobKey);
    const wanted = jobs.filter((job) => (jobName === null || job.name === jobName) && !isNextRun(job));
    const isLastOfState = jobs.length < limit;
    const isLast = isLastOfState && index === states.length - 1;
    const next: ReadPlace = isLastOfState
      ? { index: index + 1, seen: 0 }
      : { index, seen: seen + jobs.length, removedBefore };
    return {
      jobs: await Promise.all(wanted.map((job) => bullMqJob(job, stays, now()))),
      next: isLast ? null : JSON.stringify(next),
    };
  }

  /**
   * The oldest come first, after those that were left. On PostgreSQL a part of the waiting jobs is counted from the newest,
   * and then turned round: there the part is taken from the other end, by how many there are now.
   */
  async #page(queue: BullMqQueue, state: JobState, start: number, limit: number): Promise<BullMqJob[]> {
    if (!this.#isPostgres || state !== "waiting") {
      return (await queue.getJobs([state], start, start + limit - 1, true)).filter(Boolean);
    }
    const { waiting = 0, paused = 0 } = await queue.getJobCounts("waiting", "paused");
    const end = waiting + paused - start - 1;
    return end < 0
      ? []
      : (await queue.getJobs([state], Math.max(0, end - limit + 1), end, true)).filter(Boolean);
  }

  async #queue(name: string): Promise<BullMqQueue> {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const { library, url, prefix, schema } = this.#options;
    // Without these a server that is not there is waited for.
    const redis = { url, maxRetriesPerRequest: 1, retryStrategy: () => null };
    const connection = this.#isPostgres ? { connectionString: url, schema, max: 4 } : redis;
    const backend = this.#isPostgres ? library.createPostgresBackend : undefined;
    const queue = new library.Queue(name, { connection, prefix, skipMetasUpdate: true }, backend);
    // Each call tells its own failure.
    queue.on("error", () => {});
    this.#queues.set(name, queue);
    try {
      await queue.waitUntilReady();
    } catch (cause) {
      throw new CliError({
        exit: "unreachable",
        code: "database.unavailable",
        message: "The server of BullMQ cannot be reached.",
        why: cause instanceof Error ? cause.message : String(cause),
        advice: "Check --from, and --from-schema if it is on PostgreSQL.",
        cause,
      });
    }
    return queue;
  }
}

function placeOf(text: string): ReadPlace {
  return JSON.parse(text);
}
