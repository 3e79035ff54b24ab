import { randomInt } from "node:crypto";
import type { Transactions } from "./transactions.ts";

const lock = "select pg_advisory_xact_lock($1, $2), current_user as name";
// The lock of another session, seen from here: only sessions of the same database of the same server see it there.
const look = `
  select current_user as name, exists (
    select from pg_locks l
    join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and l.classid = $1 and l.objid = $2 and l.objsubid = 2 and d.datname = current_database()
  ) as is_seen`;

/** Whether both are sessions of one role in one database, whatever their URLs look like; then one of them can do the work of both. */
export async function isSameDatabase(here: Transactions, there: Transactions): Promise<boolean> {
  const key = [randomInt(2 ** 31), randomInt(2 ** 31)];
  return await here.run(async () => {
    const held = await here.client.query<{ name: string }>(lock, key);
    const seen = await there.client.query<{ name: string; is_seen: boolean }>(look, key);
    return seen.rows[0]?.is_seen === true && seen.rows[0].name === held.rows[0]?.name;
  });
}
