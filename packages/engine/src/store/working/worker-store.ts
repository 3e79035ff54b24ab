import { asInterval } from "../calls/as-interval.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";

export interface WorkerRegistration {
  readonly workerId: string;
  readonly name: string;
  readonly leaseMs: number;
  readonly stages: readonly string[];
  readonly host: string;
  readonly pid: number;
  readonly version: string;
}

const functions = {
  register: sqlFunction("register_worker", [
    "p_worker_id",
    "p_name",
    "p_lease",
    "p_stages",
    "p_host",
    "p_pid",
    "p_version",
  ]),
  deregister: sqlFunction("deregister_worker", ["p_worker_id"]),
  waitForJobs: sqlFunction("wait_for_jobs", ["p_worker_id", "p_stage_ids"]),
  passOnWakeUp: sqlFunction("pass_on_wake_up", ["p_worker_id", "p_stage_ids"]),
};

/** A worker's row, and its wake-ups. */
export class WorkerStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async register(worker: WorkerRegistration): Promise<void> {
    await this.#database.query(
      functions.register(
        worker.workerId,
        worker.name,
        asInterval(worker.leaseMs),
        worker.stages,
        worker.host,
        worker.pid,
        worker.version,
      ),
    );
  }

  async deregister(workerId: string): Promise<void> {
    await this.#database.query(functions.deregister(workerId));
  }

  async waitForJobs(workerId: string, stageIds: readonly number[]): Promise<void> {
    await this.#database.query(functions.waitForJobs(workerId, stageIds));
  }

  async passOnWakeUp(workerId: string, stageIds: readonly number[]): Promise<void> {
    await this.#database.query(functions.passOnWakeUp(workerId, stageIds));
  }

  /** Reaches whoever listens to the channel. */
  async notify(channel: string, payload: string): Promise<void> {
    const text = "select pg_notify($1, $2)";
    await this.#database.query({ name: "lockstep_notify", text, values: [channel, payload] });
  }
}
