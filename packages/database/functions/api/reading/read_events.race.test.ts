// In real time: the subject is commits that come in another order than their ids.
import { setTimeout as sleep } from "node:timers/promises";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

interface EventRow {
  cursor: string;
  kind: string;
  job_id: string | null;
}

const writers = 24;
const transactionsEach = 20;
// Jobs that anybody may move: a transaction of a lower number then comes after one of a higher.
const committed: string[] = [];

/** Transactions that draw their ids and commit a little later, or not at all; one in ten stays open for long. */
async function write(client: pg.Client, owner: string, random: () => number): Promise<void> {
  for (let n = 0; n < transactionsEach; n += 1) {
    await client.query("begin");
    const { rows } = await client.query(
      `select id from lockstep.add_jobs((
         select jsonb_agg(jsonb_build_object('pipeline', 'orders', 'owner', $1::text)) from generate_series(1, $2)
       ))`,
      [owner, 1 + Math.floor(random() * 3)],
    );
    const earlier = committed[Math.floor(random() * committed.length)];
    if (earlier !== undefined) {
      await client.query("select lockstep.cancel_job($1)", [earlier]);
      await client.query("select lockstep.retry_job($1)", [earlier]);
    }
    await sleep(random() < 0.1 ? 150 : random() * 10);
    const isKept = random() < 0.8;
    await client.query(isKept ? "commit" : "rollback");
    if (isKept) committed.push(...rows.map(({ id }) => id));
  }
}

/** Reads until the writers are done and nothing is left. */
async function follow(client: pg.Client, owner: string | null, limit: number, isDone: () => boolean) {
  const seen: EventRow[] = [];
  let cursor = "start";
  for (;;) {
    const wasDone = isDone();
    const { rows } = await client.query<EventRow>(
      "select * from lockstep.read_events($1, p_owner => $2, p_limit => $3)",
      [cursor, owner, limit],
    );
    seen.push(...rows.filter(({ job_id }) => job_id !== null));
    const last = rows.at(-1);
    cursor = last?.cursor ?? cursor;
    if (wasDone && last?.kind === "events.read") return seen;
  }
}

test("under 24 writers every reader gets every event once, and each job's in order", {
  timeout: 60_000,
}, async () => {
  await jobs.aPipeline("orders", ["read"]);
  const owners = Array.from({ length: writers }, (_, n) => `owner-${n % 5}`);
  const clients = await Promise.all(owners.map(() => db.connect()));
  const readers = await Promise.all([1, 2, 3].map(() => db.connect()));
  let isDone = false;
  const reading = Promise.all([
    follow(readers[0] as pg.Client, null, 1000, () => isDone),
    follow(readers[1] as pg.Client, null, 7, () => isDone),
    follow(readers[2] as pg.Client, "owner-3", 5, () => isDone),
  ]);
  await Promise.all(clients.map((client, n) => write(client, owners[n] as string, Math.random)));
  isDone = true;
  const [all, bySeven, ofOwner] = await reading;

  const stored = await db.query<{ job_id: string; kind: string; owner: string }>(
    "select job_id, kind, owner from lockstep.events order by id",
  );
  expect(stored.length).toBeGreaterThan(writers * transactionsEach);
  expect(storiesOf(all)).toEqual(storiesOf(stored));
  expect(storiesOf(bySeven)).toEqual(storiesOf(stored));
  expect(storiesOf(ofOwner)).toEqual(storiesOf(stored.filter(({ owner }) => owner === "owner-3")));
});

/** The kinds of each job's events, in the order they came. */
function storiesOf(events: readonly { job_id: string | null; kind: string }[]): Record<string, string[]> {
  const stories: Record<string, string[]> = {};
  for (const { job_id, kind } of events) {
    const id = job_id ?? "";
    stories[id] = [...(stories[id] ?? []), kind];
  }
  return stories;
}
