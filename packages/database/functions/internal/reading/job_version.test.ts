import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const at = (seconds: number) => secondsAfter(noon, seconds);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker({ leaseSeconds: 6_000 });
});

const versionOf = async (id: string) => (await jobs.read(id)).version as string;

async function claim(stage: string, seconds: number) {
  const [claimed] = await jobs.claimAs(worker, { stage, at: at(seconds) });
  return { p_id: claimed?.id, p_claim_token: claimed?.claim_token };
}

test("every move of a job gives it another version, and none comes back", async () => {
  const id = await jobs.aPendingJob();
  const versions = [await versionOf(id)];
  const after = async (move: Promise<unknown>) => {
    await move;
    versions.push(await versionOf(id));
  };
  let held = await claim("orders/read", 1);
  versions.push(await versionOf(id));
  await after(db.value("release_job", { ...held, p_now: at(2) }));
  held = await claim("orders/read", 3);
  await after(db.value("snooze_job", { ...held, p_for: "10 seconds", p_now: at(4) }));
  held = await claim("orders/read", 20);
  await after(db.value("fail_job", { ...held, p_error: { message: "oh" }, p_now: at(21) }));
  held = await claim("orders/read", 1_000);
  versions.push(await versionOf(id));
  await after(db.value("complete_job", { ...held, p_output: 1, p_now: at(1_001) }));
  held = await claim("orders/write", 1_002);
  await after(db.value("cancel_job", { p_id: id, p_now: at(1_003) }));
  await after(db.value("release_job", { ...held, p_now: at(1_004) }));
  await after(db.call("retry_job", { p_id: id, p_now: at(1_005) }));
  await after(db.value("cancel_job", { p_id: id, p_now: at(1_006) }));
  expect(versions).toHaveLength(new Set(versions).size);
  for (const version of versions) expect(version).toMatch(/^[0-9a-f]{16}$/);
});

test("progress, and the reader's time zone, leave the version as it is", async () => {
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker });
  const version = await versionOf(id);
  await db.value("report_progress", { p_id: id, p_claim_token: claim_token, p_percent: 50, p_note: "half" });
  expect(await versionOf(id)).toBe(version);
  await db.query("set timezone = 'Asia/Kathmandu'");
  expect(await versionOf(id)).toBe(version);
  await db.query("reset timezone");
});

test("a list shows the version that the job itself shows, live and finished", async () => {
  const { id: failed } = await jobs.aFailedJob({ by: worker });
  const { id: held } = await jobs.aClaimedJob({ by: worker });
  const listed = await db.call<{ id: string; version: string }>("list_jobs");
  expect(new Map(listed.map(({ id, version }) => [id, version]))).toEqual(
    new Map([
      [failed, await versionOf(failed)],
      [held, await versionOf(held)],
    ]),
  );
});
