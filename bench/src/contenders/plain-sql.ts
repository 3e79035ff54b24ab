import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { batchesOf } from "./batches.ts";
import type { ContenderModule, Driver, Payload, WorkOptions } from "./contender.ts";
import { eachLimited } from "./each-limited.ts";

// What a queue of rows costs when it does nothing but hold, hand out and forget: the limit, not a job queue.
const schema = `
  create table jobs (
    id bigint generated always as identity primary key,
    stage smallint not null default 1,
    claimed_at timestamptz,
    payload jsonb not null
  );
  create index claimable on jobs (stage, id) where claimed_at is null;`;

const claim = `
  with picked as materialized (
    select id from jobs
    where stage = $1 and claimed_at is null
    order by id
    limit 1000
    for update skip locked
  )
  update jobs set claimed_at = clock_timestamp()
  from picked
  where jobs.id = picked.id
  returning jobs.id, jobs.payload`;

const loops = 2;
const jobsPerInsert = 10_000;

export const contender: ContenderModule = {
  history: null,
  async install({ url }) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(schema);
    await client.end();
  },
  async open({ url }): Promise<Driver> {
    const pool = new pg.Pool({ connectionString: url, max: 10 });
    return {
      async addMany(payloads) {
        for (const batch of batchesOf(payloads, jobsPerInsert)) {
          await pool.query("insert into jobs (payload) select unnest($1::text[])::jsonb", [
            batch.map((payload) => JSON.stringify(payload)),
          ]);
        }
      },
      add: (payload) =>
        pool.query({
          name: "add",
          text: "insert into jobs (payload) values ($1) returning id",
          values: [JSON.stringify(payload)],
        }),
      async work(options) {
        const stopping = new AbortController();
        const running = Array.from({ length: loops }, () => loop(url, options, stopping.signal));
        return async () => {
          stopping.abort();
          await Promise.all(running);
        };
      },
      isDrained: async () => (await pool.query("select not exists (select from jobs) as yes")).rows[0].yes,
      close: () => pool.end(),
    };
  },
};

async function loop(url: string, { stages, processors, handle }: WorkOptions, signal: AbortSignal) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const atOnce = Math.ceil((processors ?? 1_000) / loops);
  while (!signal.aborted) {
    let found = 0;
    for (let stage = stages; stage >= 1; stage -= 1) {
      const { rows } = await client.query<{ id: string; payload: Payload }>({
        name: "claim",
        text: claim,
        values: [stage],
      });
      if (rows.length === 0) continue;
      found += rows.length;
      const ids = rows.map(({ id }) => id);
      if (stage === stages) {
        await eachLimited(rows, atOnce, ({ payload }) => handle(payload));
        await client.query({
          name: "finish",
          text: "delete from jobs where id = any($1::bigint[])",
          values: [ids],
        });
      } else {
        await client.query({
          name: "advance",
          text: "update jobs set stage = stage + 1, claimed_at = null where id = any($1::bigint[])",
          values: [ids],
        });
      }
    }
    if (found === 0) await sleep(5);
  }
  await client.end();
}
