import { setTimeout as sleep } from "node:timers/promises";
import type { TestDatabase } from "@lockstep/test-support";
import { until } from "../scenarios/stories/until.ts";

/**
 * Ends when all that was counted so far can be read. A connection tells its last numbers before it is gone, and what
 * is told arrives in order: behind a mark that has arrived nothing is missing, of ours neither.
 * Says how many transactions the waiting itself took.
 */
export async function statisticsArrived(db: TestDatabase): Promise<number> {
  let transactions = 0;
  const query = <Row>(text: string) => {
    transactions += 1;
    return db.query<Row & Record<string, unknown>>(text);
  };
  const arrivedMarks = async () => {
    const [row] = await query<{ marks: number }>(
      "select n_tup_ins::integer as marks from pg_stat_user_tables where relname = 'guard_marks'",
    );
    return row?.marks ?? 0;
  };

  await until("every engine of this database has closed its connections", async () => {
    const open = await query(
      `select from pg_stat_activity
       where datname = current_database() and backend_type = 'client backend'
         and application_name not like 'lockstep tests%'`,
    );
    return open.length === 0;
  });
  await query("create table if not exists guard_marks (made_at timestamptz)");
  const arrived = await arrivedMarks();
  await query("insert into guard_marks values (now())");
  const [server] = await query<{ can_hurry: boolean }>(
    "select to_regproc('pg_stat_force_next_flush') is not null as can_hurry",
  );
  if (server?.can_hurry) await query("select pg_stat_force_next_flush()");
  // PostgreSQL 14 tells when half a second has passed since it told last, and there is no use in asking before.
  while ((await arrivedMarks()) <= arrived) await sleep(server?.can_hurry ? 5 : 300);
  return transactions;
}
