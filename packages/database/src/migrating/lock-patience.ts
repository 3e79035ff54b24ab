import type { Client } from "pg";
import { brandError } from "../brand-error.ts";
import type { ConnectionTarget } from "../connecting/connection-target.ts";
import { openClient } from "../connecting/open-client.ts";
import { MigrateError } from "./migrate-error.ts";

/** An open transaction holds tables that a migration must change. */
export class MigrationBlockedError extends MigrateError {
  static {
    brandError(MigrationBlockedError, "MigrationBlockedError");
  }

  override readonly name = "MigrationBlockedError";

  constructor(blockers: readonly Blocker[], tries: number) {
    const ends = blockers
      .filter(({ pid }) => pid !== 0)
      .map(({ pid }) => `select pg_terminate_backend(${pid});`);
    super(
      `The schema was not migrated: ${namesOf(blockers)} blocked it at each of ${tries} tries. Commit or roll back there` +
        `${ends.length === 0 ? "" : ` (or end the session: ${ends.join(" ")})`}, and migrate again. Nothing was changed.`,
    );
  }
}

export interface Patience {
  /** How long to keep trying. */
  readonly lockPatienceMs: number;
  /** Called with a sentence that says who blocks, after the 1st, 2nd, 4th, 8th try and so on. */
  readonly onWaiting: (sentence: string) => void;
}

interface Blocker {
  /** 0: a prepared transaction. */
  readonly pid: number;
  readonly name: string;
}

// While a statement waits for a lock, every later statement on the table waits behind it.
export const lockTimeoutMs = 200;
// Behind a pooler the session has the limits of its role, which are too short for a migration.
const beginSql = `begin isolation level read committed;
set local lock_timeout = ${lockTimeoutMs};
set local statement_timeout = 0;
set local idle_in_transaction_session_timeout = 0`;
// Long enough for the statements that had to wait.
const pauseMs = 1_000;
const lockNotAvailable = "55P03";

/**
 * Does work in one transaction that may need locks on tables in use. If a lock is not granted at once, the transaction rolls back, so
 * that jobs go on, and is tried again.
 */
export async function withLockPatience<Result>(
  client: Client,
  target: ConnectionTarget,
  { lockPatienceMs, onWaiting }: Patience,
  work: () => Promise<Result>,
): Promise<Result> {
  const tries = Math.max(1, Math.ceil(lockPatienceMs / (pauseMs + lockTimeoutMs)));
  // If this connection fails, only the names of the blockers are missing.
  const watcher = new LockWatcher(
    await openClient(target, { application_name: "lockstep migrate: lock watcher" }),
  );
  try {
    for (let tried = 1; ; tried += 1) {
      await client.query(beginSql);
      try {
        const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
        watcher.watch(rows[0]?.pid ?? 0);
        const result = await work();
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch(() => {});
        if ((error as { code?: string }).code !== lockNotAvailable) throw error;
        const blockers = await watcher.blockers();
        if (tried === tries) throw new MigrationBlockedError(blockers, tries);
        if (Math.log2(tried) % 1 === 0) {
          onWaiting(
            `Waiting for ${namesOf(blockers)}, whose transaction holds a table that must change. Jobs go on meanwhile (try ${tried} of ${tries}).`,
          );
        }
        await watcher.pause(pauseMs);
      }
    }
  } finally {
    await watcher.end();
  }
}

function namesOf(blockers: readonly Blocker[]): string {
  return blockers.map(({ name }) => name).join(", ") || "another session";
}

/** Finds out, over another connection, who blocks a session. */
class LockWatcher {
  readonly #client: Client;
  #seen: Blocker[] = [];
  #isWatching = false;
  #looking: Promise<void> = Promise.resolve();

  constructor(client: Client) {
    this.#client = client;
  }

  watch(pid: number): void {
    this.#seen = [];
    this.#isWatching = true;
    this.#looking = this.#look(pid).catch(() => {});
  }

  async blockers(): Promise<readonly Blocker[]> {
    this.#isWatching = false;
    await this.#looking;
    return this.#seen;
  }

  async pause(ms: number): Promise<void> {
    await this.#client.query("select pg_sleep($1)", [ms / 1_000]);
  }

  async end(): Promise<void> {
    await this.blockers();
    await this.#client.end();
  }

  async #look(pid: number): Promise<void> {
    while (this.#isWatching) {
      const { rows } = await this.#client.query<Blocker>(
        `select distinct b.pid, case when b.pid = 0 then 'a prepared transaction' else
           format('session %s (%s, user %s, %s%s)', b.pid, coalesce(nullif(a.application_name, ''), 'no application name'),
             coalesce(a.usename, 'unknown'), coalesce(a.state, a.backend_type, 'state unknown'),
             to_char(a.xact_start at time zone 'UTC', '" since "YYYY-MM-DD HH24:MI:SS" UTC"')) end as name
         from unnest(pg_blocking_pids($1)) as b (pid)
         left join pg_stat_activity a on a.pid = b.pid
         order by 1`,
        [pid],
      );
      if (rows.length > 0) this.#seen = rows;
      await this.#client.query("select pg_sleep(0.02)");
    }
  }
}
