import type { Effect, EffectState } from "../../jobs/outcomes/effect.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import type { Claim } from "./claim.ts";

/** What the ledger answers to an attempt that wants to run an effect. */
export type Begun =
  | { readonly answer: "run"; readonly idempotencyKey: string; readonly mayHaveHappened: boolean }
  | { readonly answer: "done"; readonly value: unknown }
  | { readonly answer: "unknown"; readonly idempotencyKey: string }
  | { readonly answer: "lease_lost" };

export type EffectAnswer = "applied" | "already_applied" | "lease_lost";

type Held = Pick<Claim, "jobId" | "token">;

const functions = {
  begin: sqlFunction("begin_effect", ["p_id", "p_claim_token", "p_key", "p_retry_unknown", "p_resent"]),
  finish: sqlFunction("finish_effect", ["p_id", "p_claim_token", "p_key", "p_value", "p_spends"]),
  fail: sqlFunction("fail_effect", ["p_id", "p_claim_token", "p_key", "p_may_have_happened"]),
  list: sqlFunction("job_effects", ["p_id"]),
  forget: sqlFunction("forget_effects", ["p_id", "p_key"]),
  confirm: sqlFunction("confirm_effect", ["p_id", "p_key", "p_value"]),
};

/** The ledger of effects. */
export class EffectStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async begin(
    claim: Held,
    key: string,
    how: { readonly retriesUnknown: boolean; readonly isResent: boolean },
  ): Promise<Begun> {
    const [row] = await this.#database.query<BegunRow>(
      functions.begin(claim.jobId, claim.token, key, how.retriesUnknown, how.isResent),
    );
    switch (row?.answer) {
      case "run":
        return {
          answer: "run",
          idempotencyKey: row.idempotency_key,
          mayHaveHappened: row.may_have_happened,
        };
      case "done":
        return { answer: "done", value: row.has_value ? row.value : undefined };
      case "unknown":
        return { answer: "unknown", idempotencyKey: row.idempotency_key };
      default:
        return { answer: "lease_lost" };
    }
  }

  /** The value is JSON text, or null for none. */
  async finish(
    claim: Held,
    key: string,
    value: string | null,
    spent: ReadonlyMap<string, number>,
  ): Promise<EffectAnswer> {
    const spends = spent.size === 0 ? null : JSON.stringify(Object.fromEntries(spent));
    const [row] = await this.#database.query<{ finish_effect: EffectAnswer }>(
      functions.finish(claim.jobId, claim.token, key, value, spends),
    );
    return row?.finish_effect ?? "lease_lost";
  }

  async fail(claim: Held, key: string, mayHaveHappened: boolean): Promise<EffectAnswer> {
    const [row] = await this.#database.query<{ fail_effect: EffectAnswer }>(
      functions.fail(claim.jobId, claim.token, key, mayHaveHappened),
    );
    return row?.fail_effect ?? "lease_lost";
  }

  async list(jobId: string): Promise<Effect[]> {
    const rows = await this.#database.query<EffectRow>(functions.list(jobId));
    return rows.map((row) => ({
      key: row.key,
      state: row.state,
      idempotencyKey: row.idempotency_key,
      starts: row.starts,
      startedAt: row.started_at,
      endedAt: row.ended_at,
      value: row.value,
      spent: row.spent ?? {},
    }));
  }

  /** Null forgets all effects of the job. Says how many there were. */
  async forget(jobId: string, key: string | null): Promise<number> {
    const [row] = await this.#database.query<{ forget_effects: number }>(functions.forget(jobId, key));
    return row?.forget_effects ?? 0;
  }

  /** The value is JSON text, or null for none. Says whether the job has such an effect. */
  async confirm(jobId: string, key: string, value: string | null): Promise<boolean> {
    const [row] = await this.#database.query<{ confirm_effect: boolean }>(
      functions.confirm(jobId, key, value),
    );
    return row?.confirm_effect ?? false;
  }
}

interface BegunRow {
  answer: Begun["answer"];
  idempotency_key: string;
  may_have_happened: boolean;
  value: unknown;
  has_value: boolean;
}

interface EffectRow {
  key: string;
  state: EffectState;
  idempotency_key: string;
  starts: number;
  started_at: Date;
  ended_at: Date | null;
  value: unknown;
  spent: Record<string, number> | null;
}
