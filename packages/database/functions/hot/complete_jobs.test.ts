import { randomUUID } from "node:crypto";
import { JobFactory, noon, settledBy, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let stageId: number;
let worker: string;

beforeEach(async () => {
  await db.reset();
  ({ read: stageId = 0 } = await jobs.aPipeline("orders", ["read"]));
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

interface Claimed {
  id: string;
  token: string;
}

/** Jobs of one call, which have one token. */
async function claimed(count: number): Promise<Claimed[]> {
  for (let job = 0; job < count; job += 1) await jobs.aPendingJob();
  const token = randomUUID();
  const rows = await db.call<{ kind: string; id: string }>("settle_and_claim", {
    p_worker_id: worker,
    p_claim_token: token,
    p_ids: [],
    p_tokens: [],
    p_ends: null,
    p_stage_ids: [stageId],
    p_rooms: [count],
    p_places: null,
    p_scans: [2],
    p_due_after: null,
    p_now: noon,
  });
  return rows.filter(({ kind }) => kind === "claimed").map(({ id }) => ({ id, token }));
}

/** Each is done with its own id as the output. */
const settle = (claims: readonly Claimed[]) =>
  db.call("settle_jobs", {
    ...settledBy(claims.map(({ id, token }) => ({ id, token, value: id }))),
    p_now: noon,
  });

async function expectAllDone(claims: readonly Claimed[]): Promise<void> {
  for (const { id } of claims) expect(await jobs.read(id)).toMatchObject({ status: "completed", result: id });
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
}

test("jobs are looked up once to end, and the first of them once more", async () => {
  const claims = await claimed(50);
  const connection = await db.connect();
  try {
    await connection.query("begin");
    await connection.query("select from lockstep.settle_jobs($1, $2, p_now => $3)", [
      claims.map(({ id }) => id),
      claims.map(({ token }) => token),
      noon,
    ]);
    const { rows } = await connection.query(
      "select pg_stat_get_xact_numscans('lockstep.jobs_pkey'::regclass)::integer as looks",
    );
    expect(rows).toEqual([{ looks: 51 }]);
  } finally {
    await connection.query("rollback");
    await connection.end();
  }
});

test("a row that has changed since its claim ends all the same", async () => {
  const claims = await claimed(3);
  const [changed] = claims;
  await db.value("report_progress", { p_id: changed?.id, p_claim_token: changed?.token, p_percent: 50 });
  expect(await settle(claims)).toEqual([]);
  await expectAllDone(claims);
});

test("a row that changes while its end waits for it ends all the same", async () => {
  const claims = await claimed(2);
  const [changing] = claims;
  const [reporter, holder] = [await db.connect(), await db.connect()];
  await reporter.query("begin");
  await reporter.query("select lockstep.report_progress($1, $2, 50)", [changing?.id, changing?.token]);
  const settling = holder.query("select * from lockstep.settle_jobs($1, $2, $3, p_now => $4)", [
    claims.map(({ id }) => id),
    claims.map(({ token }) => token),
    JSON.stringify(claims.map(({ id }) => ({ value: id }))),
    noon,
  ]);
  await untilBlocked(db);
  await reporter.query("commit");
  expect((await settling).rows).toEqual([]);
  await expectAllDone(claims);
});

test("without the claim an id opens nothing", async () => {
  const claims = await claimed(2);
  const stale = claims.map((claim) => ({ ...claim, token: randomUUID() }));
  expect(await settle(stale)).toMatchObject([{ answer: "lease_lost" }, { answer: "lease_lost" }]);
  expect(await settle(claims)).toEqual([]);
  await expectAllDone(claims);
});
