import { randomUUID } from "node:crypto";
import { JobFactory, testDatabase } from "@lockstep/test-support";
import { beforeAll, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);

interface Unknown {
  id: string;
  open_from: string;
  begun_until: string;
  age_ms: number | null;
}

const unknown = (ids: string[], at?: Date) => db.call<Unknown>("unknown_jobs", { p_ids: ids, p_now: at });

beforeAll(() => jobs.aPipeline("orders", ["read"]));

test("a job is known while it is live and when it has finished, and an id that nobody added is not", async () => {
  const [live, finished, nobody] = [await jobs.aPendingJob(), await jobs.aPendingJob(), randomUUID()];
  await db.value("cancel_job", { p_id: finished });
  expect((await unknown([live, finished, nobody])).map(({ id }) => id)).toEqual([nobody]);
});

test("a job that an open transaction adds is unknown, and so are all transactions that may add it counted", async () => {
  const other = await db.connect();
  await other.query("begin");
  const { rows } = await other.query(
    "select id, pg_current_xact_id()::text as xid from lockstep.add_job('orders')",
  );
  const [{ id, xid }] = rows as [{ id: string; xid: string }];
  const [before] = await unknown([id]);
  expect(BigInt(before?.open_from ?? 0)).toBeLessThanOrEqual(BigInt(xid));
  expect(BigInt(before?.begun_until ?? 0)).toBeGreaterThan(BigInt(xid));
  await other.query("commit");
  expect(await unknown([id])).toEqual([]);
});

test("an id that tells its time has an age, another has none", async () => {
  const id = await db.value<string>("new_job_id", { p_now: new Date("2040-01-01T00:00:00Z") });
  const other = randomUUID();
  const answers = await unknown([id, other], new Date("2040-01-01T00:00:07Z"));
  const ages = new Map(answers.map((answer) => [answer.id, answer.age_ms]));
  expect(ages).toEqual(
    new Map([
      [id, 7_000],
      [other, null],
    ]),
  );
});
