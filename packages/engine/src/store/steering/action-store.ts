import type { Act } from "../../jobs/adding/act.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";

/** What a person did. */
export interface RecordedAction {
  /** The number of the row; the next page's `before`. */
  readonly id: string;
  readonly at: Date;
  readonly user: string;
  readonly action: string;
  readonly target: string;
  /** What the queue answered: cancelled, not_found, applied. */
  readonly outcome: string;
  readonly requestId: string | null;
  readonly detail: Readonly<Record<string, unknown>> | null;
}

/** Which of the recorded actions of people are listed. */
export interface ActionFilter {
  readonly user?: string | undefined;
  readonly target?: string | undefined;
  /** The id of the last action of the page before. */
  readonly before?: string | undefined;
  readonly limit?: number | undefined;
}

export interface ClaimedKey {
  readonly state: "claimed" | "replayed" | "reused" | "in_use";
  readonly answer: unknown;
}

type Idempotency = NonNullable<Act["idempotency"]>;

interface ActionRow extends Omit<RecordedAction, "user" | "requestId"> {
  readonly user_name: string;
  readonly request_id: string | null;
}

const functions = {
  record: sqlFunction("record_action", [
    "p_user",
    "p_action",
    "p_target",
    "p_outcome",
    "p_request_id",
    "p_detail",
  ]),
  list: sqlFunction("list_actions", ["p_before", "p_limit", "p_user", "p_target"]),
  claimKey: sqlFunction("claim_idempotency_key", ["p_user", "p_key", "p_request_hash", "p_owner"]),
  keepAnswer: sqlFunction("keep_answer", ["p_user", "p_key", "p_request_hash", "p_answer", "p_owner"]),
};

/** The record of what people did, and the answers that wait for a request to come again. */
export class ActionStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async record(act: Act, target: string, outcome: string, detail: object | null): Promise<void> {
    const json = detail === null ? null : JSON.stringify(detail);
    await this.#database.query(
      functions.record(act.user, act.action, target, outcome, act.requestId ?? null, json),
    );
  }

  /** Newest first. */
  async list({ user, target, before, limit = 50 }: ActionFilter): Promise<RecordedAction[]> {
    const rows = await this.#database.query<ActionRow>(
      functions.list(before ?? null, limit, user ?? null, target ?? null),
    );
    return rows.map(({ user_name, request_id, ...row }) => ({
      ...row,
      user: user_name,
      requestId: request_id,
    }));
  }

  /** For the rest of the transaction. */
  async claimKey({ user, owner = null }: Act, { key, requestHash }: Idempotency): Promise<ClaimedKey> {
    const [row] = await this.#database.query<ClaimedKey>(functions.claimKey(user, key, requestHash, owner));
    return row ?? { state: "in_use", answer: null };
  }

  /** The answer is a JSON text. */
  async keepAnswer(
    { user, owner = null }: Act,
    { key, requestHash }: Idempotency,
    answer: string,
  ): Promise<void> {
    await this.#database.query(functions.keepAnswer(user, key, requestHash, answer, owner));
  }
}
