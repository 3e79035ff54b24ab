import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;
let claimed: ClaimedJob;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker();
  claimed = await jobs.aClaimedJob({ by: worker });
});

const call = (
  name: string,
  { id, claim_token }: Pick<ClaimedJob, "id" | "claim_token">,
  more: Record<string, unknown> = {},
) => db.value(name, { p_id: id, p_claim_token: claim_token, p_now: noon, ...more });
const fail = (held: Pick<ClaimedJob, "id" | "claim_token">, error: unknown = { message: "broken" }) =>
  call("fail_held_job", held, { p_error: error, p_log: [{ level: "info", message: "tried" }] });

test("it fails the job for good at its first attempt, and keeps the error and the attempt's log", async () => {
  await fail(claimed);
  expect(await jobs.read(claimed.id)).toMatchObject({
    status: "failed",
    stage: "read",
    error: { message: "broken" },
    attempts: [{ stage: "read", outcome: "failed", log: [{ level: "info", message: "tried" }] }],
  });
  expect(await db.call("verify")).toEqual([]);
});

test("an error that is no object, or too large, is kept as one with a message", async () => {
  await fail(claimed, "broken");
  expect(await jobs.read(claimed.id)).toMatchObject({ error: { message: "broken" } });
  const other = await jobs.aClaimedJob({ by: worker });
  await fail(other, { message: "x".repeat(20_000), stack: "y" });
  expect((await jobs.read(other.id))?.error).toEqual({ message: "x".repeat(8_192) });
});

test("an error that is too large with its causes is kept without them, and says so", async () => {
  const cause = { name: "Error", message: "x".repeat(20_000) };
  await fail(claimed, { name: "Error", message: "broken", stack: "at line 1", cause, errors: [cause] });
  expect((await jobs.read(claimed.id))?.error).toEqual({
    name: "Error",
    message: "broken",
    stack: "at line 1",
    hasMoreCauses: true,
  });
  const other = await jobs.aClaimedJob({ by: worker });
  const small = { message: "broken", cause: { name: "Error", message: "disk full" } };
  await fail(other, small);
  expect((await jobs.read(other.id))?.error).toEqual(small);
});

test("it raises when the claim is lost, so that the transaction it is in cannot commit", async () => {
  await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 31) });
  await expect(fail(claimed)).rejects.toMatchObject({ code: "LS006" });
  await expect(fail({ id: claimed.id, claim_token: randomUUID() })).rejects.toMatchObject({ code: "LS006" });
  expect(await jobs.read(claimed.id)).toMatchObject({ status: "pending", stage: "read" });
});

test("a stage is ended once, as done or as failed", async () => {
  await fail(claimed);
  await expect(fail(claimed)).rejects.toMatchObject({ code: "LS003" });
  await expect(call("complete_held_job", claimed)).rejects.toMatchObject({ code: "LS003" });
  const other = await jobs.aClaimedJob({ by: worker });
  await call("complete_held_job", other);
  await expect(fail(other)).rejects.toMatchObject({ code: "LS003" });
});

test("a job that was to be cancelled is cancelled", async () => {
  await db.value("cancel_job", { p_id: claimed.id, p_now: noon });
  await fail(claimed);
  expect(await jobs.read(claimed.id)).toMatchObject({ status: "cancelled" });
});
