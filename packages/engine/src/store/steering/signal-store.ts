import type { SignalAnswer, SignalledByKey } from "../../jobs/adding/signal.ts";
import type { EndedWait } from "../../jobs/reading/ended-wait.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import type { OpenTransaction } from "../transactions/open-transaction.ts";

/** A signal as it is sent: its value is JSON text. */
export interface GivenSignal {
  readonly name: string;
  readonly value: string;
  readonly by: string | null;
  readonly ifVersion: string | null;
  /** What was shown to whoever decided, as JSON text. */
  readonly ifShown: string | null;
  /** Whether the caller records it. */
  readonly isRecorded: boolean;
}

const functions = {
  endedWaits: sqlFunction("read_ended_waits", ["p_ids", "p_stage"]),
  hasSignal: sqlFunction("has_signal", ["p_id", "p_name"]),
  shownHash: sqlFunction("shown_hash", ["p_id", "p_stages"]),
  signal: sqlFunction("signal_job", [
    "p_id",
    "p_name",
    "p_value",
    "p_by",
    "p_if_version",
    "p_if_shown",
    "p_is_recorded",
  ]),
  signalByKey: sqlFunction("signal_job_by_key", [
    "p_pipeline",
    "p_key",
    "p_name",
    "p_value",
    "p_by",
    "p_is_recorded",
  ]),
};

const signalText = `select lockstep.signal_job(
  p_id => $1::text::uuid, p_name => $2::text, p_value => $3::text::jsonb, p_by => $4::text, p_if_version => $5::text
) as answer`;

const signalByKeyText = `select json_build_object('answer', s.answer, 'jobId', s.job_id)::text as answer
from lockstep.signal_job_by_key(
  p_pipeline => $1::text, p_key => $2::text, p_name => $3::text, p_value => $4::text::jsonb, p_by => $5::text
) s`;

/** Signals, on the pool or in a transaction. */
export class SignalStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async signal(id: string, signal: GivenSignal): Promise<SignalAnswer> {
    const { name, value, by, ifVersion, ifShown, isRecorded } = signal;
    const [row] = await this.#database.query<{ signal_job: SignalAnswer }>(
      functions.signal(id, name, value, by, ifVersion, ifShown, isRecorded),
    );
    return row?.signal_job ?? "not_found";
  }

  /** The last wait that each of these jobs has behind it; with a stage, its last one there. */
  async endedWaits(ids: readonly string[], stage: string | null): Promise<EndedWait[]> {
    const rows = await this.#database.query<EndedWait & { id: string; ended_at: Date }>(
      functions.endedWaits(ids, stage),
    );
    return rows.map(({ id, ended_at, ...wait }) => ({ ...wait, jobId: id, endedAt: ended_at }));
  }

  /** Whether a wait of a live job has had its signal, taken or kept. */
  async hasSignal(id: string, name: string): Promise<boolean> {
    const [row] = await this.#database.query<{ has_signal: boolean }>(functions.hasSignal(id, name));
    return row?.has_signal ?? false;
  }

  /** Of what there is to show of a live job; null if there is none. */
  async shownHash(id: string, stages: readonly string[]): Promise<string | null> {
    const [row] = await this.#database.query<{ shown_hash: string | null }>(functions.shownHash(id, stages));
    return row?.shown_hash ?? null;
  }

  async signalByKey(pipeline: string, key: string, signal: GivenSignal): Promise<SignalledByKey> {
    const { name, value, by, isRecorded } = signal;
    const [row] = await this.#database.query<{ answer: SignalAnswer; job_id: string | null }>(
      functions.signalByKey(pipeline, key, name, value, by, isRecorded),
    );
    return { answer: row?.answer ?? "not_found", jobId: row?.job_id ?? null };
  }
}

/** Signals a job if the transaction commits. */
export async function signalIn(tx: OpenTransaction, id: string, signal: GivenSignal): Promise<SignalAnswer> {
  const { name, value, by, ifVersion } = signal;
  return (await tx.answer(signalText, [id, name, value, by, ifVersion])) as SignalAnswer;
}

/** The same for the job that has a key. */
export async function signalByKeyIn(
  tx: OpenTransaction,
  pipeline: string,
  key: string,
  signal: GivenSignal,
): Promise<SignalledByKey> {
  const { name, value, by } = signal;
  const answer = await tx.answer(signalByKeyText, [pipeline, key, name, value, by]);
  return JSON.parse(answer ?? "{}") as SignalledByKey;
}
