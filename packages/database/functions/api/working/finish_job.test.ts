import { type ClaimedJob, JobFactory, noon, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker();
});

const finish = ({ id, claim_token }: ClaimedJob, result: unknown) =>
  db.value<string>("finish_job", { p_id: id, p_claim_token: claim_token, p_result: result, p_now: noon });

describe("a job that is finished early", () => {
  test("is completed in the stage that finished it, with that result", async () => {
    const claim = await jobs.aClaimedJob({ by: worker });
    expect(await finish(claim, { reason: "empty" })).toBe("applied");
    expect(await jobs.read(claim.id)).toMatchObject({
      ...{
        status: "completed",
        stage: "read",
        result: { reason: "empty" },
        outputs: { read: { reason: "empty" } },
      },
      attempts: [{ outcome: "done" }],
    });
    expect(await finish(claim, 2)).toBe("already_applied");
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("is completed although it was to be cancelled: what is committed first holds", async () => {
    const claim = await jobs.aClaimedJob({ by: worker });
    await db.value("cancel_job", { p_id: claim.id, p_now: noon });
    await finish(claim, 1);
    expect(await jobs.read(claim.id)).toMatchObject({ status: "completed", result: 1 });
  });

  test("cannot have a result of more than 1 MiB", async () => {
    const claim = await jobs.aClaimedJob({ by: worker });
    await expect(finish(claim, "x".repeat(1_048_577))).rejects.toMatchObject({ code: "LS001" });
  });
});
