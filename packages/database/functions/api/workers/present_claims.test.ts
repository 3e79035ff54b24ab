import { randomUUID } from "node:crypto";
import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let stageIds: Record<string, number>;
let worker: string;

beforeEach(async () => {
  await db.reset();
  stageIds = await jobs.aPipeline("orders", ["read", "send"]);
  worker = await jobs.aWorker();
});

interface Claimed {
  kind: string;
  id: string;
  stage_id: number;
  attempt: number;
  token: string;
}

async function exchange(by = worker, at = noon, room = 10): Promise<Claimed[]> {
  const token = randomUUID();
  const rows = await db.call<Claimed>("settle_and_claim", {
    p_worker_id: by,
    p_claim_token: token,
    p_ids: [],
    p_tokens: [],
    p_ends: null,
    p_stage_ids: [stageIds.read, stageIds.send],
    p_rooms: [room, room],
    p_places: null,
    p_scans: [2, 2],
    p_due_after: null,
    p_now: at,
  });
  return rows.map((row) => ({ ...row, token }));
}

const claim = async (by = worker, at = noon, room = 10) =>
  (await exchange(by, at, room)).filter(({ kind }) => kind === "claimed");
const kinds = async (by = worker, at = noon) => (await exchange(by, at)).map(({ kind }) => kind);

const present = (claims: readonly Claimed[], by = worker, at = noon) =>
  db.call("present_claims", {
    p_worker_id: by,
    p_ids: claims.map(({ id }) => id),
    p_tokens: claims.map(({ token }) => token),
    p_stage_ids: claims.map(({ stage_id }) => stage_id),
    p_attempts: claims.map(({ attempt }) => attempt),
    p_now: at,
  });

/** As a crash leaves it that comes straight after what `forgotten` does: without that, and without what is not logged. */
async function crashAfter<Result>(forgotten: () => Promise<Result>): Promise<Result> {
  await db.query("begin");
  const result = await forgotten();
  await db.query("rollback");
  await db.query("truncate lockstep.claim_epoch");
  return result;
}

const verify = () => db.call("verify", { p_now: noon });

describe("a claim that a crash has forgotten", () => {
  test("holds again under its token when its worker presents it", async () => {
    const ids = [await jobs.aPendingJob(), await jobs.aPendingJob({ priority: 3 })];
    const claimed = await crashAfter(() => claim());
    expect(claimed.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(await present(claimed)).toEqual([]);
    for (const { id, token } of claimed) {
      expect(await jobs.read(id)).toMatchObject({ status: "processing", attempt: 1, worker_id: worker });
      expect(await db.value("complete_job", { p_id: id, p_claim_token: token, p_now: noon })).toBe("applied");
    }
    expect(await verify()).toEqual([]);
  });

  test("is presented as often as its worker likes", async () => {
    await jobs.aPendingJob();
    const claimed = await crashAfter(() => claim());
    expect(await present(claimed)).toEqual([]);
    expect(await present(claimed)).toEqual([]);
    expect(await jobs.read(claimed[0]?.id ?? "")).toMatchObject({ attempt: 1 });
    expect(await verify()).toEqual([]);
  });

  test("holds again though the job had been waiting for a time that has come", async () => {
    const id = await jobs.aPendingJob({ scheduledFor: secondsAfter(noon, 5) });
    const later = secondsAfter(noon, 6);
    const claimed = await crashAfter(() => claim(worker, later));
    expect(claimed).toMatchObject([{ id }]);
    expect(await present(claimed, worker, later)).toEqual([]);
    expect(await jobs.read(id)).toMatchObject({ status: "processing" });
    expect(await verify()).toEqual([]);
  });

  test("is lost when another has claimed the job since", async () => {
    const id = await jobs.aPendingJob();
    const claimed = await crashAfter(() => claim());
    const other = await jobs.aWorker();
    await present([], other);
    const [theirs] = await claim(other, secondsAfter(noon, 4));
    expect(theirs).toMatchObject({ id });
    expect(await present(claimed)).toMatchObject([{ job_id: id, claim_token: claimed[0]?.token }]);
    expect(await jobs.read(id)).toMatchObject({ status: "processing", worker_id: other });
  });

  test("is lost when its job waits in another stage, or for another attempt, than the claim was of", async () => {
    const id = await jobs.aPendingJob();
    const [claimed] = await crashAfter(() => claim());
    if (claimed === undefined) throw new Error("There is a job to claim.");
    const others = [
      { ...claimed, stage_id: stageIds.send ?? 0 },
      { ...claimed, attempt: 2 },
    ];
    for (const other of others) expect(await present([other])).toMatchObject([{ job_id: id }]);
    expect(await jobs.read(id)).toMatchObject({ status: "pending", stage: "read", attempt: 0 });
    expect(await present([claimed])).toEqual([]);
  });

  test("is lost when the job was cancelled since", async () => {
    const id = await jobs.aPendingJob();
    const claimed = await crashAfter(() => claim());
    await db.call("cancel_job", { p_id: id, p_now: noon });
    expect(await present(claimed)).toMatchObject([{ job_id: id }]);
    expect(await jobs.read(id)).toMatchObject({ status: "cancelled" });
  });

  test("is counted by the limits of its stage", async () => {
    await jobs.aPipeline("letters", [{ name: "send", concurrency: 1 }]);
    const [stage] = await db.query<{ id: number }>(
      "select s.id from lockstep.stages s join lockstep.pipelines p on p.id = s.pipeline_id where p.name = 'letters'",
    );
    stageIds = { read: stage?.id ?? 0, send: stage?.id ?? 0 };
    for (let n = 0; n < 2; n += 1) await jobs.aPendingJob({ pipeline: "letters" });
    const claimed = await crashAfter(() => claim());
    expect(claimed).toHaveLength(1);
    expect(await present(claimed)).toEqual([]);
    expect(await claim(worker, secondsAfter(noon, 4))).toEqual([]);
    expect(await verify()).toEqual([]);
  });
});

describe("a claim that somebody has ended", () => {
  test("does not come back after a sweep took its job", async () => {
    const id = await jobs.aPendingJob();
    const claimed = await claim();
    const later = secondsAfter(noon, 31);
    await db.call("sweep_lost_workers", { p_now: later });
    const again = await jobs.aWorker({ at: later });
    expect(await present(claimed, again, later)).toMatchObject([{ job_id: id }]);
    expect(await jobs.read(id)).toMatchObject({ status: "pending", losses: 1 });
  });

  test("does not come back after its worker gave it back", async () => {
    const id = await jobs.aPendingJob();
    const claimed = await claim();
    await db.value("release_job", { p_id: id, p_claim_token: claimed[0]?.token, p_now: noon });
    expect(await present(claimed)).toMatchObject([{ job_id: id }]);
    expect(await jobs.read(id)).toMatchObject({ status: "pending" });
  });

  test("is lost with its worker", async () => {
    const id = await jobs.aPendingJob();
    const claimed = await crashAfter(() => claim());
    await db.query("update lockstep.workers set lost_at = $1", [noon]);
    expect(await present(claimed)).toMatchObject([{ job_id: id }]);
    expect(await jobs.read(id)).toMatchObject({ status: "pending" });
  });
});

test("a claim that was not forgotten is held as before", async () => {
  const id = await jobs.aPendingJob();
  const claimed = await claim();
  await db.query("truncate lockstep.claim_epoch");
  expect(await present(claimed)).toEqual([]);
  expect(await jobs.read(id)).toMatchObject({ status: "processing", attempt: 1 });
  expect(await verify()).toEqual([]);
});

describe("after a crash", () => {
  test("a worker gets no jobs until it has presented what it holds", async () => {
    const id = await jobs.aPendingJob();
    await db.query("truncate lockstep.claim_epoch");
    expect(await kinds()).toEqual(["present"]);
    expect(await kinds()).toEqual(["present"]);
    await present([]);
    expect(await claim()).toMatchObject([{ id }]);
  });

  test("nothing is handed out while a live worker has not presented, for three seconds at most", async () => {
    const id = await jobs.aPendingJob();
    const silent = await jobs.aWorker();
    await db.query("truncate lockstep.claim_epoch");
    await present([]);
    expect(await kinds()).toEqual(["stage", "stage"]);
    expect(await kinds(worker, secondsAfter(noon, 2.9))).toEqual(["stage", "stage"]);
    await db.query("begin");
    expect(await claim(worker, secondsAfter(noon, 3))).toMatchObject([{ id }]);
    await db.query("rollback");
    await present([], silent);
    expect(await claim()).toMatchObject([{ id }]);
  });

  test("a clock that was set back holds up nobody", async () => {
    const id = await jobs.aPendingJob();
    await jobs.aWorker({ leaseSeconds: 36_000 });
    await db.query("truncate lockstep.claim_epoch");
    await present([], worker, secondsAfter(noon, 3_600));
    expect(await claim()).toMatchObject([{ id }]);
  });

  test("claim_jobs goes on, since a crash forgets no claim of its own", async () => {
    const id = await jobs.aPendingJob();
    await db.query("truncate lockstep.claim_epoch");
    expect(await jobs.claimAs(worker)).toMatchObject([{ id }]);
  });

  test("a worker that enters has nothing to present", async () => {
    const id = await jobs.aPendingJob();
    await db.query("truncate lockstep.claim_epoch");
    await present([]);
    expect(await claim(await jobs.aWorker())).toMatchObject([{ id }]);
  });
});

test("lists of different lengths are refused", async () => {
  await expect(
    db.call("present_claims", { p_worker_id: worker, p_ids: [randomUUID()], p_tokens: [] }),
  ).rejects.toThrow("present_claims needs a token, a stage and an attempt for each job");
});
