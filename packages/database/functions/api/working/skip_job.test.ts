import { type ClaimedJob, JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "translate", "write"]);
  worker = await jobs.aWorker();
});

const skip = ({ id, claim_token }: ClaimedJob) =>
  db.value<string>("skip_job", { p_id: id, p_claim_token: claim_token, p_now: secondsAfter(noon, 3) });
const complete = ({ id, claim_token }: ClaimedJob, output: unknown) =>
  db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_output: output, p_now: noon });

async function claimedIn(stage: string): Promise<ClaimedJob> {
  const [claimed] = await jobs.claimAs(worker, { stage: `orders/${stage}` });
  if (!claimed) throw new Error(`No job waits in ${stage}.`);
  return claimed;
}

const totalsOf = async (stage: string) =>
  (await db.call<{ stage: string }>("read_stage_totals", {})).find((row) => row.stage === stage);

describe("a skipped stage", () => {
  test("passes the output of the stage before it on, and is shown and counted as skipped", async () => {
    const claim = await jobs.aClaimedJob({ by: worker, owner: "ada" });
    await complete(claim, { text: "Hallo" });
    expect(await skip(await claimedIn("translate"))).toBe("applied");
    expect(await jobs.read(claim.id)).toMatchObject({
      ...{ stage: "write", status: "pending", attempt: 0 },
      outputs: { read: { text: "Hallo" }, translate: { text: "Hallo" } },
      attempts: [{ outcome: "done" }, { stage: "translate", outcome: "skipped", attempt: 1 }],
    });
    expect(await totalsOf("translate")).toMatchObject({
      started: "1",
      advanced: "0",
      skipped: "1",
      lost: "0",
    });
    const events = await db.query("select kind, detail from lockstep.events order by id desc limit 1");
    expect(events).toMatchObject([{ kind: "job.skipped", detail: { nextStage: "write" } }]);
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("that is the last completes the job with that output", async () => {
    const claim = await jobs.aClaimedJob({ by: worker });
    await complete(claim, 1);
    await complete(await claimedIn("translate"), 2);
    await skip(await claimedIn("write"));
    expect(await jobs.read(claim.id)).toMatchObject({ status: "completed", result: 2 });
    const { attempts } = (await jobs.read(claim.id)) as { attempts: object[] };
    expect(attempts[2]).toMatchObject({ stage: "write", outcome: "skipped" });
    expect(await totalsOf("write")).toMatchObject({ completed: "1", skipped: "1" });
    expect(await db.call("verify", { p_now: noon })).toEqual([]);
  });

  test("that is the first passes on nothing, and a skip of a job that was lost is told so", async () => {
    const claim = await jobs.aClaimedJob({ by: worker });
    expect(await skip(claim)).toBe("applied");
    expect(await jobs.read(claim.id)).toMatchObject({ stage: "translate", outputs: { read: null } });
    expect(await skip(claim)).toBe("already_applied");
    expect(await skip({ ...claim, claim_token: claim.id })).toBe("lease_lost");
  });

  test("of a job that is to be cancelled cancels it", async () => {
    const claim = await jobs.aClaimedJob({ by: worker });
    await db.value("cancel_job", { p_id: claim.id, p_now: noon });
    await skip(claim);
    expect(await jobs.read(claim.id)).toMatchObject({ status: "cancelled", stage: "read" });
  });
});
