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
  address: string;
}

/** Jobs of one call, which have one token. */
async function claimed(count: number): Promise<Claimed[]> {
  for (let job = 0; job < count; job += 1) await jobs.aPendingJob();
  const token = randomUUID();
  const rows = await db.call<{ kind: string; id: string; address: string }>("settle_and_claim", {
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
  return rows.filter(({ kind }) => kind === "claimed").map(({ id, address }) => ({ id, token, address }));
}

/** Each is done with its own id as the output. */
const settle = (claims: readonly Claimed[], addresses: readonly (string | null)[]) =>
  db.call("settle_jobs", {
    ...settledBy(claims.map(({ id, token }) => ({ id, token, value: id }))),
    p_addresses: addresses,
    p_now: noon,
  });

async function expectAllDone(claims: readonly Claimed[]): Promise<void> {
  for (const { id } of claims) expect(await jobs.read(id)).toMatchObject({ status: "completed", result: id });
  expect(await db.call("verify", { p_now: noon })).toEqual([]);
}

test("jobs end at the addresses of their claim, and only the first is looked up by its id", async () => {
  const claims = await claimed(50);
  const looksById = async (addresses: readonly string[] | null) => {
    const connection = await db.connect();
    try {
      await connection.query("begin");
      await connection.query("select from lockstep.settle_jobs($1, $2, p_addresses => $3, p_now => $4)", [
        claims.map(({ id }) => id),
        claims.map(({ token }) => token),
        addresses,
        noon,
      ]);
      const { rows } = await connection.query(
        "select pg_stat_get_xact_numscans('lockstep.jobs_pkey'::regclass)::integer as looks",
      );
      return rows[0].looks;
    } finally {
      await connection.query("rollback");
      await connection.end();
    }
  };
  expect(await looksById(claims.map(({ address }) => address))).toBe(1);
  expect(await looksById(null)).toBe(51);
});

test("some addresses may be unknown", async () => {
  const claims = await claimed(4);
  expect(
    await settle(
      claims,
      claims.map(({ address }, index) => (index % 2 === 0 ? address : null)),
    ),
  ).toEqual([]);
  await expectAllDone(claims);
});

test("at the address of another job of the same claim each gets its own end", async () => {
  const claims = await claimed(3);
  const turned = [...claims.slice(1), ...claims.slice(0, 1)].map(({ address }) => address);
  expect(await settle(claims, turned)).toEqual([]);
  await expectAllDone(claims);
});

test("a row that has moved since its claim is found by its id", async () => {
  const claims = await claimed(3);
  const [moved] = claims;
  await db.value("report_progress", { p_id: moved?.id, p_claim_token: moved?.token, p_percent: 50 });
  expect(
    await settle(
      claims,
      claims.map(({ address }) => address),
    ),
  ).toEqual([]);
  await expectAllDone(claims);
});

test("an address where no row is, or can be, is passed over", async () => {
  const claims = await claimed(2);
  expect(await settle(claims, ["(4294967294,1)", "(0,0)"])).toEqual([]);
  await expectAllDone(claims);
});

test("a row that moves while its end waits for it ends all the same", async () => {
  const claims = await claimed(2);
  const [moving] = claims;
  const [reporter, holder] = [await db.connect(), await db.connect()];
  await reporter.query("begin");
  await reporter.query("select lockstep.report_progress($1, $2, 50)", [moving?.id, moving?.token]);
  const settling = holder.query(
    "select * from lockstep.settle_jobs($1, $2, $3, p_addresses => $4, p_now => $5)",
    [
      claims.map(({ id }) => id),
      claims.map(({ token }) => token),
      JSON.stringify(claims.map(({ id }) => ({ value: id }))),
      claims.map(({ address }) => address),
      noon,
    ],
  );
  await untilBlocked(db);
  await reporter.query("commit");
  expect((await settling).rows).toEqual([]);
  await expectAllDone(claims);
});

test("without the claim an address opens nothing", async () => {
  const claims = await claimed(2);
  const stale = claims.map((claim) => ({ ...claim, token: randomUUID() }));
  const addresses = claims.map(({ address }) => address);
  expect(await settle(stale, addresses)).toMatchObject([{ answer: "lease_lost" }, { answer: "lease_lost" }]);
  expect(await settle(claims, addresses)).toEqual([]);
  await expectAllDone(claims);
});
