import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** What a PostgreSQL server has done up to now. */
export interface ServerReading {
  readonly walBytes: number;
  /** Of this database. */
  readonly transactions: number;
  /** Of all the server's processes, ended ones too; null where there is no /proc. */
  readonly cpuMs: number | null;
}

const msPerTick = 10;

/** Reads the server's own books; the harness's connection to the contender's database. */
export class ServerMeter {
  readonly client: pg.Client;
  readonly #serverPid: number;

  constructor(url: string, serverPid: number) {
    this.client = new pg.Client({ connectionString: url, application_name: "bench: meter" });
    this.#serverPid = serverPid;
  }

  async read(): Promise<ServerReading> {
    const { rows } = await this.client.query<{ wal: string; transactions: string }>(`
      select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal, xact_commit + xact_rollback as transactions
      from pg_stat_database
      where datname = current_database()`);
    return {
      walBytes: Number(rows[0]?.wal),
      transactions: Number(rows[0]?.transactions),
      cpuMs: cpuMsOf(this.#serverPid),
    };
  }

  /** Statistics of what the queue keeps; the catalogs, which take longer, change no plan of a queue. */
  async analyze(): Promise<void> {
    const { rows } = await this.client.query<{ tables: string | null }>(`
      select string_agg(oid::regclass::text, ', ') as tables
      from pg_class
      where relkind in ('r', 'p') and relnamespace not in (
        select oid from pg_namespace where nspname = 'information_schema' or nspname like 'pg\\_%'
      )`);
    const tables = rows[0]?.tables ?? null;
    if (tables !== null) await this.client.query(`analyze ${tables}`);
  }

  /** Who is connected to this database, by process. */
  async backends(): Promise<ReadonlySet<number>> {
    const { rows } = await this.client.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
    );
    return new Set(rows.map(({ pid }) => pid));
  }

  /** Backends hand in their numbers when they end: gives those of the workers, who came later, a moment to do so. */
  async untilOnly(earlier: ReadonlySet<number>): Promise<void> {
    const giveUpAt = performance.now() + 300;
    while (performance.now() < giveUpAt && [...(await this.backends())].some((pid) => !earlier.has(pid))) {
      await sleep(10);
    }
  }
}

function cpuMsOf(serverPid: number): number | null {
  try {
    const ofChildren = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(statOf)
      .filter((stat) => stat !== undefined)
      .filter(({ parentPid }) => parentPid === serverPid)
      .reduce((sum, { ownTicks }) => sum + ownTicks, 0);
    const server = statOf(String(serverPid));
    if (server === undefined) return null;
    // The children that ended are on the books of their parent.
    return (server.ownTicks + server.endedChildrenTicks + ofChildren) * msPerTick;
  } catch {
    return null;
  }
}

function statOf(
  pid: string,
): { parentPid: number; ownTicks: number; endedChildrenTicks: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const number = (index: number) => Number(fields[index]);
    return {
      parentPid: number(1),
      ownTicks: number(11) + number(12),
      endedChildrenTicks: number(13) + number(14),
    };
  } catch {
    // It ended while we looked.
    return undefined;
  }
}
