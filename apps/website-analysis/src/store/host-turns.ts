import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { SiteDatabase } from "./site-database.ts";

/** The right to send one request to a host. */
export interface HostTurn {
  /** When it was given, by the clock of PostgreSQL. */
  readonly at: Date;
  /** The request is over: the interval until the next turn begins. Never rejects. */
  end(): Promise<void>;
}

// What is longer ago than this says nothing any more.
const keptSeconds = 60;

/**
 * One request per interval to each host, over all workers: PostgreSQL gives out the turns, by its own clock. The interval begins when the
 * request is over, not when its turn was given: a worker that was slow to send it would else come close to the next one. Whoever would
 * have to wait long gets no turn, so that a host that many ask for does not hold the workers.
 */
export class HostTurns {
  readonly #database: Pick<SiteDatabase, "rows">;
  readonly #intervalMs: number;
  readonly #longestTurnMs: number;

  /** A turn that nobody ends, since its worker died, is over after `longestTurnMs`: longer than a request may take. */
  constructor(
    database: Pick<SiteDatabase, "rows">,
    { intervalMs, longestTurnMs }: { intervalMs: number; longestTurnMs: number },
  ) {
    this.#database = database;
    this.#intervalMs = intervalMs;
    this.#longestTurnMs = longestTurnMs;
  }

  /** Resolves when the host may be asked; throws HostBusyError if that is further away than two intervals. */
  async take(host: string, signal: AbortSignal): Promise<HostTurn> {
    await this.#forget();
    for (let waitedMs = 0; ; ) {
      const turn = await this.#tryToTake(host);
      if (turn !== null) return turn;
      const waitMs = await this.#waitMs(host);
      waitedMs += waitMs;
      if (waitedMs > 2 * this.#intervalMs) throw new HostBusyError(host, 2 * this.#intervalMs);
      await pause(waitMs, undefined, { signal });
    }
  }

  async #tryToTake(host: string): Promise<HostTurn | null> {
    const id = randomUUID();
    const [given] = await this.#database.rows<{ at: Date }>(
      `insert into website_analysis.host_turns as turns (host, free_at, held_by)
       values ($1, clock_timestamp() + $2 * interval '1 ms', $3)
       on conflict (host) do update
         set free_at = excluded.free_at, held_by = excluded.held_by
         where turns.free_at <= clock_timestamp()
       returning clock_timestamp() as at`,
      [host, this.#longestTurnMs, id],
    );
    return given === undefined ? null : { at: given.at, end: () => this.#end(host, id) };
  }

  async #end(host: string, id: string): Promise<void> {
    await this.#database
      .rows(
        `update website_analysis.host_turns
         set free_at = clock_timestamp() + $3 * interval '1 ms', held_by = null
         where host = $1 and held_by = $2`,
        [host, id, this.#intervalMs],
      )
      // The turn then ends by itself.
      .catch(() => undefined);
  }

  /** While somebody asks the host, nobody knows for how long. */
  async #waitMs(host: string): Promise<number> {
    const [turn] = await this.#database.rows<{ waitMs: number }>(
      `select case
         when held_by is not null then $2
         else greatest(0, 1000 * extract(epoch from free_at - clock_timestamp()))
       end::float8 as "waitMs"
       from website_analysis.host_turns where host = $1`,
      [host, this.#intervalMs],
    );
    return Math.ceil(turn?.waitMs ?? 0);
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
