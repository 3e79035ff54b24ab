import pg from "pg";

const rows = 20_000;
const rowsAtATime = 1_000;
/** What it takes on two cores that have nothing else to do. */
const calmMs = 350;

/** How fast the machine is just now, beside one on which a quick run has time for all it would like to do: at most 1. */
export async function paceOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const startedAtMs = performance.now();
  await workOn(client);
  const tookMs = performance.now() - startedAtMs;
  await client.end();
  return Math.min(1, calmMs / tookMs);
}

/** What every queue on PostgreSQL does: rows in, claimed, out, each with a durable commit. */
async function workOn(client: pg.Client): Promise<void> {
  await client.query("create table pace (id int primary key, claimed_at timestamptz, payload jsonb)");
  const payload = JSON.stringify({ filler: "x".repeat(80) });
  for (let start = 0; start < rows; start += rowsAtATime) {
    const payloads = Array.from({ length: rowsAtATime }, () => payload);
    await client.query(
      "insert into pace (id, payload) select $1::int + n, p::jsonb from unnest($2::text[]) with ordinality as u (p, n)",
      [start, payloads],
    );
  }
  for (let start = 0; start < rows; start += rowsAtATime) {
    const values = [start, start + rowsAtATime];
    const claim = "update pace set claimed_at = clock_timestamp() where id > $1 and id <= $2 returning *";
    await client.query(claim, values);
    await client.query("delete from pace where id > $1 and id <= $2", values);
  }
  await client.query("drop table pace");
}
