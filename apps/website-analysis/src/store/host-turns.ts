import { setTimeout as pause } from "node:timers/promises";
import type { SiteDatabase } from "./site-database.ts";

/** A place in the row of requests to one host. */
export interface HostTurn {
  readonly at: Date;
  readonly waitMs: number;
}

// What is longer ago than this says nothing any more.
const keptSeconds = 60;

/**
 * One request per interval to each host, over all workers: PostgreSQL gives out the turns, by its own clock. Whoever would have to wait long
 * gets none, so that a host that many ask for does not hold the workers.
 */
export class HostTurns {
  readonly #database: Pick<SiteDatabase, "rows">;
  readonly #intervalMs: number;

  constructor(database: Pick<SiteDatabase, "rows">, { intervalMs }: { intervalMs: number }) {
    this.#database = database;
    this.#intervalMs = intervalMs;
  }

  /** Resolves when the host may be asked; throws HostBusyError if that is further away than two intervals. */
  async take(host: string, signal: AbortSignal): Promise<void> {
    const { waitMs } = await this.reserve(host);
    if (waitMs > 0) await pause(waitMs, undefined, { signal });
  }

  async reserve(host: string): Promise<HostTurn> {
    await this.#forget();
    const [turn] = await this.#database.rows<{ at: Date; waitMs: number }>(
      `insert into website_analysis.host_turns as turns (host, free_at)
       values ($1, clock_timestamp() + $2 * interval '1 ms')
       on conflict (host) do update
         set free_at = greatest(clock_timestamp(), turns.free_at) + $2 * interval '1 ms'
         where turns.free_at <= clock_timestamp() + 2 * $2 * interval '1 ms'
       returning free_at - $2 * interval '1 ms' as at,
         1000 * extract(epoch from free_at - $2 * interval '1 ms' - clock_timestamp())::float8 as "waitMs"`,
      [host, this.#intervalMs],
    );
    if (turn === undefined) throw new HostBusyError(host, 2 * this.#intervalMs);
    return turn;
  }

  // Those that another process forgets at this moment are left to it.
  async #forget(): Promise<void> {
    await this.#database.rows(
      `delete from website_analysis.host_turns where host in (
         select host from website_analysis.host_turns
         where free_at < now() - $1 * interval '1 s' order by free_at limit 100 for update skip locked)`,
      [keptSeconds],
    );
  }
}

/** Many ask for this host, and its next turns are taken. */
export class HostBusyError extends Error {
  override readonly name = "HostBusyError";
  readonly askAgainMs: number;

  constructor(host: string, askAgainMs: number) {
    super(`${host} is asked once a second, and others are before this request.`);
    this.askAgainMs = askAgainMs;
  }
}
