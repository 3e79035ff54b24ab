import { randomUUID } from "node:crypto";
import { noon, secondsAfter } from "./seconds-after.ts";
import type { Row, TestDatabase } from "./test-database.ts";

/** What a claim gives, as claim_jobs returns it. */
export interface ClaimedJob {
  id: string;
  pipeline: string;
  stage: string;
  claim_token: string;
  attempt: number;
  payload: unknown;
  output: unknown;
}

export interface JobOptions {
  /** "orders" unless told. */
  pipeline?: string;
  at?: Date;
  payload?: unknown;
  priority?: number;
  scheduledFor?: Date;
  dedupKey?: string;
  owner?: string;
  id?: string;
  tags?: string[];
  groupKey?: string;
  startBy?: Date;
}

export interface ClaimOptions {
  /** "pipeline/stage"; the first stage of "orders" unless told. */
  stage?: string;
  batchSize?: number;
  at?: Date;
}

/** Makes jobs, workers and pipelines in the states that tests begin with, through the SQL functions alone. */
export class JobFactory {
  readonly #db: TestDatabase;

  constructor(db: TestDatabase) {
    this.#db = db;
  }

  /** Defines a pipeline; comes back with the id of each stage by its name. */
  async aPipeline(
    name: string,
    stages: (string | (Row & { name: string }))[],
    options: Row = {},
  ): Promise<Record<string, number>> {
    const rows = await this.#db.call<{ stage: string; stage_id: number }>("define_pipeline", {
      p_name: name,
      p_stages: stages.map((stage) => (typeof stage === "string" ? { name: stage } : stage)),
      p_options: options,
    });
    return Object.fromEntries(rows.map(({ stage, stage_id }) => [stage, stage_id]));
  }

  async aWorker(
    options: { id?: string; name?: string; serves?: string[]; leaseSeconds?: number; at?: Date } = {},
  ): Promise<string> {
    const id = options.id ?? randomUUID();
    await this.#db.value("register_worker", {
      p_worker_id: id,
      p_name: options.name ?? "worker",
      p_lease: `${options.leaseSeconds ?? 30} seconds`,
      p_stages: options.serves,
      p_now: options.at ?? noon,
    });
    return id;
  }

  async aPendingJob(options: JobOptions = {}): Promise<string> {
    const [added] = await this.#db.call<{ id: string }>("add_job", {
      p_pipeline: options.pipeline ?? "orders",
      p_payload: options.payload,
      p_priority: options.priority,
      p_scheduled_for: options.scheduledFor,
      p_dedup_key: options.dedupKey,
      p_owner: options.owner,
      p_id: options.id,
      p_tags: options.tags,
      p_group_key: options.groupKey,
      p_start_by: options.startBy,
      p_now: options.at ?? noon,
    });
    if (!added) throw new Error("add_job gave no row.");
    return added.id;
  }

  claimAs(workerId: string, options: ClaimOptions = {}): Promise<ClaimedJob[]> {
    return this.#db.call<ClaimedJob>("claim_jobs", {
      p_worker_id: workerId,
      p_stages: [options.stage ?? "orders/read"],
      p_batch_size: options.batchSize ?? 1,
      p_now: options.at ?? noon,
    });
  }

  /** A job that this worker holds in the first stage of its pipeline. */
  async aClaimedJob(options: JobOptions & { by: string; stage?: string }): Promise<ClaimedJob> {
    const id = await this.aPendingJob(options);
    const [claimed] = await this.claimAs(options.by, { stage: options.stage, at: options.at });
    if (claimed?.id !== id) throw new Error(`Job ${id} was to be claimed, but ${claimed?.id} was.`);
    return claimed;
  }

  /** A job that was given up in the first stage of its pipeline. */
  async aFailedJob(options: JobOptions & { by: string; stage?: string }): Promise<ClaimedJob> {
    const claimed = await this.aClaimedJob(options);
    await this.#db.value("fail_job", {
      p_id: claimed.id,
      p_claim_token: claimed.claim_token,
      p_error: { message: "broken" },
      p_retry: false,
      p_now: options.at ?? noon,
    });
    return claimed;
  }

  /** The attempt fails, and this worker claims the next one a second later. */
  async nextAttempt(
    { id, claim_token }: Pick<ClaimedJob, "id" | "claim_token">,
    options: { by: string; stage?: string | undefined; at?: Date | undefined },
  ): Promise<ClaimedJob> {
    const at = options.at ?? noon;
    await this.#db.value("fail_job", {
      p_id: id,
      p_claim_token: claim_token,
      p_error: { message: "broken" },
      p_retry_after: "0 seconds",
      p_now: at,
    });
    const [claimed] = await this.claimAs(options.by, { stage: options.stage, at: secondsAfter(at, 1) });
    if (claimed?.id !== id) throw new Error(`Job ${id} was to be claimed again, but ${claimed?.id} was.`);
    return claimed;
  }

  /** The job as get_job shows it. */
  async read(id: string): Promise<Row> {
    const [job] = await this.#db.call("get_job", { p_id: id });
    if (!job) throw new Error(`There is no job ${id}.`);
    return job;
  }
}
