import { asInterval } from "../calls/as-interval.ts";
import { sqlFunction } from "../calls/call-function.ts";
import { type Expectation, expectationValues, type StageIds } from "../calls/expectation.ts";
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

// An argument of the registration comes from the row before it: without that row it is not called.
const registerIfKnown = `select r.stage_ids as "stageIds"
from lockstep.recognize_pipelines(p_schema_version => $8, p_pipelines => $9) r
cross join lateral lockstep.register_worker(
  p_worker_id => $1, p_name => $2, p_lease => $3, p_stages => case when r.stage_ids is not null then $4::text[] end,
  p_host => $5, p_pid => $6, p_version => $7
)`;

/** A worker's row, and its wake-ups. */
export class WorkerStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async register(worker: WorkerRegistration): Promise<void> {
    await this.#database.query(functions.register(...registrationValues(worker)));
  }

  /** Registers it if the database is as expected, and says which ids its stages have; null: it is not, and nothing was done. */
  async registerIfKnown(worker: WorkerRegistration, expected: Expectation): Promise<StageIds | null> {
    const [row] = await this.#database.query<{ stageIds: StageIds }>({
      name: "lockstep_register_if_known",
      text: registerIfKnown,
      values: [...registrationValues(worker), ...expectationValues(expected)],
    });
    return row?.stageIds ?? null;
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

type RegistrationValues = [string, string, string, readonly string[], string, number, string];

/** The arguments of register_worker. */
function registrationValues(worker: WorkerRegistration): RegistrationValues {
  const { workerId, name, leaseMs, stages, host, pid, version } = worker;
  return [workerId, name, asInterval(leaseMs), stages, host, pid, version];
}
