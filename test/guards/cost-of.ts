import type { TestDatabase } from "@lockstep/test-support";
import { statisticsArrived } from "./statistics-arrived.ts";

/** What the database did for a piece of work, as it counts it itself: the same on every machine. */
export interface Cost {
  readonly transactions: number;
  readonly walBytes: number;
  /** Sorts and hashes that did not fit into memory. */
  readonly temporaryFiles: number;
  readonly jobs: TableCost;
  /** All partitions together. */
  readonly finishedJobs: TableCost;
  /** The index that claims read. */
  readonly claimable: IndexCost;
}

export interface TableCost {
  readonly sequentialScans: number;
  /** Rows that those read; an empty table is read through for nothing. */
  readonly sequentialRows: number;
  /** Entries that scans of its indexes gave, those of dead rows included. */
  readonly indexEntries: number;
  /** Blocks of the table and its indexes that were looked at, each time anew. */
  readonly blocks: number;
}

export interface IndexCost {
  readonly entries: number;
  /** Entries whose row was dead. */
  readonly deadEntries: number;
}

type Counter =
  | "transactions"
  | "ownTransactions"
  | "walBytes"
  | "temporaryFiles"
  | `${"jobs" | "finishedJobs"}.${keyof TableCost}`
  | `claimable.${"entries" | "liveRows"}`;

/** Costs of everything in this database from the start of the work until its engines are stopped. */
export async function costOf(db: TestDatabase, work: () => Promise<unknown>): Promise<Cost> {
  const before = await readCounters(db);
  await work();
  const after = await readCounters(db);
  const spent = (counter: Counter) => (after.get(counter) ?? 0) - (before.get(counter) ?? 0);
  const table = (name: "jobs" | "finishedJobs"): TableCost => ({
    sequentialScans: spent(`${name}.sequentialScans`),
    sequentialRows: spent(`${name}.sequentialRows`),
    indexEntries: spent(`${name}.indexEntries`),
    blocks: spent(`${name}.blocks`),
  });
  const entries = spent("claimable.entries");
  return {
    // Those before the start were counted before it.
    transactions: spent("transactions") - (after.get("ownTransactions") ?? 0),
    walBytes: spent("walBytes"),
    temporaryFiles: spent("temporaryFiles"),
    jobs: table("jobs"),
    finishedJobs: table("finishedJobs"),
    claimable: { entries, deadEntries: entries - spent("claimable.liveRows") },
  };
}

const countersQuery = `
  with watched as (
    select 'lockstep.jobs'::regclass as table_id, 'jobs' as name
    union all
    select relid, 'finishedJobs' from pg_partition_tree('lockstep.finished_jobs') where isleaf
  ),
  tables as (
    select w.name, sum(t.seq_scan) as scans, sum(t.seq_tup_read) as rows, sum(i.entries) as entries,
      sum(b.heap_blks_hit + b.heap_blks_read + coalesce(b.idx_blks_hit + b.idx_blks_read, 0)) as blocks
    from watched w
    join pg_stat_user_tables t on t.relid = w.table_id
    join pg_statio_user_tables b on b.relid = w.table_id
    cross join lateral (
      select sum(i.idx_tup_read) as entries from pg_stat_user_indexes i where i.relid = w.table_id
    ) i
    group by w.name
  )
  select 'transactions' as counter, xact_commit::float8 as value from pg_stat_database where datname = current_database()
  union all select 'temporaryFiles', temp_files from pg_stat_database where datname = current_database()
  union all select name || '.sequentialScans', scans from tables
  union all select name || '.sequentialRows', rows from tables
  union all select name || '.indexEntries', entries from tables
  union all select name || '.blocks', blocks from tables
  union all select 'claimable.entries', idx_tup_read from pg_stat_user_indexes where indexrelname = 'claimable_in_order'
  union all select 'claimable.liveRows', idx_tup_fetch from pg_stat_user_indexes where indexrelname = 'claimable_in_order'`;

async function readCounters(db: TestDatabase): Promise<ReadonlyMap<Counter, number>> {
  const ownTransactions = await statisticsArrived(db);
  const rows = await db.query<{ counter: Counter; value: number }>(
    `${countersQuery} union all select 'walBytes', pg_current_wal_insert_lsn() - '0/0'`,
  );
  return new Map(rows.map(({ counter, value }) => [counter, value])).set("ownTransactions", ownTransactions);
}
