import {
  type ClaimedJob,
  type GivenEnd,
  JobFactory,
  noon,
  settledBy,
  testDatabase,
} from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;
let stageIds: Record<string, number>;

beforeEach(async () => {
  await db.reset();
  stageIds = await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

interface Settled {
  job_id: string;
  answer: string;
  status: string | null;
}

const token = "00000000-0000-4000-8000-000000000001";

const settle = (ends: GivenEnd[], more: object = {}) =>
  db.call<Settled>("settle_jobs", { ...settledBy(ends), p_claim_token: token, p_now: noon, ...more });

const ended = ({ id, claim_token }: ClaimedJob, outcome: string, more: object = {}) => ({
  id,
  token: claim_token,
  outcome,
  ...more,
});

const aClaim = () => jobs.aClaimedJob({ by: worker });

describe("a job that asks to be kept", () => {
  const keepIn = (...names: string[]) => ({ p_stage_ids: names.map((name) => stageIds[name]) });

  test("goes on in the next stage at once, under a new token and as its first attempt", async () => {
    const one = await aClaim();
    expect(await settle([ended(one, "done", { value: 1, keepIn: stageIds.write })], keepIn("write"))).toEqual(
      [],
    );
    expect(await jobs.read(one.id)).toMatchObject({
      status: "processing",
      stage: "write",
      attempt: 1,
      worker_id: worker,
      outputs: { read: 1 },
    });
    expect(await settle([ended(one, "done", { value: 2 })])).toMatchObject([{ answer: "already_applied" }]);
    expect(await settle([{ id: one.id, token, outcome: "done", value: 3 }])).toEqual([]);
    expect(await jobs.read(one.id)).toMatchObject({ status: "completed", result: 3 });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("is not kept in a stage that the worker did not name", async () => {
    const one = await aClaim();
    expect(await settle([ended(one, "done", { keepIn: stageIds.write })], keepIn("read"))).toMatchObject([
      { job_id: one.id, answer: "applied", status: "pending" },
    ]);
    expect(await jobs.read(one.id)).toMatchObject({ status: "pending", stage: "write" });
  });

  test("is not kept in a stage that is not the next one, whatever the worker believes", async () => {
    const one = await aClaim();
    expect(
      await settle([ended(one, "done", { keepIn: stageIds.read })], keepIn("read", "write")),
    ).toMatchObject([{ answer: "applied", status: "pending" }]);
    expect(await jobs.read(one.id)).toMatchObject({ status: "pending", stage: "write" });
  });

  test.each(["done", "skip"])(
    "is told that it is completed where its stage is the last one by now (%s)",
    async (outcome) => {
      const one = await aClaim();
      const write = stageIds.write;
      await jobs.aPipeline("orders", ["read"]);
      expect(await settle([ended(one, outcome, { value: 1, keepIn: write })], keepIn("write"))).toMatchObject(
        [{ job_id: one.id, answer: "applied", status: "completed" }],
      );
      expect(await jobs.read(one.id)).toMatchObject({ status: "completed", stage: "read", result: 1 });
      expect(await db.call("verify", { p_now: noon })).toEqual([]);
    },
  );

  test("is not kept without a token to hold it under", async () => {
    const one = await aClaim();
    const more = { ...keepIn("write"), p_claim_token: null };
    expect(await settle([ended(one, "done", { keepIn: stageIds.write })], more)).toMatchObject([
      { answer: "applied", status: "pending" },
    ]);
  });

  test("is not kept while the next stage is paused", async () => {
    const one = await aClaim();
    await db.value("pause_stage", { p_pipeline: "orders", p_stage: "write" });
    await settle([ended(one, "done", { keepIn: stageIds.write })], keepIn("write"));
    expect(await jobs.read(one.id)).toMatchObject({ status: "pending", stage: "write" });
  });

  async function waitingInWrite(priority: number): Promise<string> {
    const early = await jobs.aClaimedJob({ by: worker, priority });
    await settle([ended(early, "done")]);
    return early.id;
  }

  test("is not kept while a more urgent one waits there, and is beside one as urgent", async () => {
    await waitingInWrite(9);
    const one = await aClaim();
    await settle([ended(one, "done", { keepIn: stageIds.write })], keepIn("read", "write"));
    expect(await jobs.read(one.id)).toMatchObject({ status: "pending", stage: "write" });

    const urgent = await jobs.aClaimedJob({ by: worker, priority: 9 });
    await settle([ended(urgent, "done", { keepIn: stageIds.write })], keepIn("read", "write"));
    expect(await jobs.read(urgent.id)).toMatchObject({ status: "processing", stage: "write" });
  });

  test("looks for more urgent ones only from the worker's places on", async () => {
    const waiting = await waitingInWrite(9);
    const [row] = await db.query<{ position: string }>("select position from lockstep.jobs where id = $1", [
      waiting,
    ]);
    const places = Array.from({ length: 40 }, () => "0");
    places[20 + 8] = String(row?.position);
    const one = await aClaim();
    await settle([ended(one, "done", { keepIn: stageIds.write })], {
      ...keepIn("read", "write"),
      p_places: places,
    });
    expect(await jobs.read(one.id)).toMatchObject({ status: "processing", stage: "write" });
  });

  test("ends cancelled when its cancel was requested", async () => {
    const one = await aClaim();
    await db.value("cancel_job", { p_id: one.id, p_now: noon });
    expect(
      await settle([ended(one, "done", { value: 1, keepIn: stageIds.write })], keepIn("write")),
    ).toMatchObject([{ answer: "applied", status: "cancelled" }]);
    expect(await jobs.read(one.id)).toMatchObject({
      status: "cancelled",
      stage: "read",
      outputs: { read: 1 },
    });
  });
});
