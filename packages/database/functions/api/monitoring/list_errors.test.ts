import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
let worker: string;

interface ErrorRow {
  fingerprint: string;
  message: string;
  jobs: string;
  sample_id: string;
  capped: boolean;
}

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("letters", ["send"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

const errors = (args: object = {}) => db.call<ErrorRow>("list_errors", { ...args });

async function aFailure(message: string, at: Date, pipeline = "orders/read"): Promise<string> {
  const [name = ""] = pipeline.split("/");
  const claimed = await jobs.aClaimedJob({ by: worker, at, pipeline: name, stage: pipeline });
  await db.value("fail_job", {
    p_id: claimed.id,
    p_claim_token: claimed.claim_token,
    p_error: { name: "PrinterError", message, stack: "at line 1" },
    p_retry: false,
    p_now: at,
  });
  return claimed.id;
}

describe("errors", () => {
  test("are counted by kind, with the newest job and both times; the last seen come first", async () => {
    await aFailure("tray 1 is empty", noon);
    await aFailure("no ink", secondsAfter(noon, 1));
    const newest = await aFailure("tray 2 is empty", secondsAfter(noon, 2));
    const [trays, ink, ...more] = await errors();
    expect(more).toEqual([]);
    expect(trays).toEqual({
      fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      pipeline: "orders",
      stage: "read",
      name: "PrinterError",
      message: "tray 2 is empty",
      jobs: "2",
      first_at: noon,
      last_at: secondsAfter(noon, 2),
      sample_id: newest,
      capped: false,
    });
    expect(ink).toMatchObject({ message: "no ink", jobs: "1" });
  });

  test("lead to their jobs by the fingerprint", async () => {
    const first = await aFailure("tray 1 is empty", noon);
    const other = await aFailure("no ink", secondsAfter(noon, 1));
    const second = await aFailure("tray 2 is empty", secondsAfter(noon, 2));
    const [trays, ink] = await errors();
    const idsOf = async (filter: object) =>
      (await db.call<{ id: string }>("list_jobs", { p_filter: filter })).map(({ id }) => id);
    expect(await idsOf({ error: trays?.fingerprint })).toEqual([second, first]);
    expect(await idsOf({ error: ink?.fingerprint, pipeline: "orders" })).toEqual([other]);
    expect(await idsOf({ error: ink?.fingerprint, pipeline: "letters" })).toEqual([]);
    expect(await idsOf({ error: ink?.fingerprint, statuses: ["cancelled"] })).toEqual([]);
    expect(await idsOf({ error: ink?.fingerprint, statuses: ["pending", "failed"] })).toEqual([other]);
    expect(await db.call("count_jobs", { p_filter: { error: trays?.fingerprint } })).toMatchObject([
      { jobs: "2" },
    ]);
  });

  test("can be those of a pipeline, a stage or a time", async () => {
    await aFailure("no ink", noon);
    await aFailure("no stamp", secondsAfter(noon, 60), "letters/send");
    const messages = async (args: object) => (await errors(args)).map(({ message }) => message);
    expect(await messages({})).toEqual(["no stamp", "no ink"]);
    expect(await messages({ p_pipeline: "orders" })).toEqual(["no ink"]);
    expect(await messages({ p_pipeline: "letters", p_stage: "send" })).toEqual(["no stamp"]);
    expect(await messages({ p_since: secondsAfter(noon, 30) })).toEqual(["no stamp"]);
    expect(await messages({ p_limit: 1 })).toEqual(["no stamp"]);
    expect(await messages({ p_pipeline: "unknown" })).toEqual([]);
    await expect(messages({ p_pipeline: "orders", p_stage: "send" })).rejects.toMatchObject({
      code: "LS003",
    });
    await expect(messages({ p_limit: 0 })).rejects.toMatchObject({ code: "LS001" });
  });

  test("say when there are more failures than were looked at", async () => {
    for (let count = 0; count < 3; count++) await aFailure("no ink", secondsAfter(noon, count));
    expect(await errors({ p_look_at: 2 })).toMatchObject([{ jobs: "2", capped: true }]);
    expect(await errors({ p_look_at: 4 })).toMatchObject([{ jobs: "3", capped: false }]);
  });

  test("of a busy pipeline are all counted, as far as the quiet ones leave room", async () => {
    await jobs.aPipeline("rare", ["run"]);
    for (let count = 0; count < 7; count++) await aFailure("no ink", secondsAfter(noon, count));
    await aFailure("no stamp", noon, "letters/send");
    await aFailure("no luck", noon, "rare/run");
    const counts = async (lookAt: number) =>
      Object.fromEntries(
        (await errors({ p_look_at: lookAt })).map(({ message, jobs: some, capped }) => [
          message,
          `${some}${capped ? "+" : ""}`,
        ]),
      );
    expect(await counts(10)).toEqual({ "no ink": "7", "no stamp": "1", "no luck": "1" });
    // Only the pipeline that has more than was looked at has them counted in part.
    expect(await counts(7)).toEqual({ "no ink": "5+", "no stamp": "1", "no luck": "1" });
  });

  test("are sorted by their jobs, also before the limit cuts them", async () => {
    await aFailure("no ink", noon);
    await aFailure("no ink", secondsAfter(noon, 1));
    await aFailure("no stamp", secondsAfter(noon, 2), "letters/send");
    const messages = async (args: object) => (await errors(args)).map(({ message }) => message);
    expect(await messages({ p_sort: "-jobs" })).toEqual(["no ink", "no stamp"]);
    expect(await messages({ p_sort: "-jobs", p_limit: 1 })).toEqual(["no ink"]);
    await expect(messages({ p_sort: "jobs" })).rejects.toMatchObject({ code: "LS001" });
  });

  test("are those of lost workers and of jobs that expired, too; not of cancelled ones", async () => {
    await jobs.aPipeline("fragile", [{ name: "run", maxLosses: 1 }]);
    const dying = await jobs.aWorker({ leaseSeconds: 1 });
    await jobs.aClaimedJob({ by: dying, pipeline: "fragile", stage: "fragile/run", at: noon });
    await jobs.aPendingJob({ startBy: secondsAfter(noon, 1) });
    await db.value("cancel_job", { p_id: await jobs.aPendingJob({ pipeline: "letters" }), p_now: noon });
    await db.call("sweep_lost_workers", { p_now: secondsAfter(noon, 60) });
    expect((await db.call<{ name: string }>("list_errors")).map(({ name }) => name).sort()).toEqual([
      "ExpiredError",
      "WorkerLostError",
    ]);
  });

  test("go with a job that is retried", async () => {
    const id = await aFailure("no ink", noon);
    await db.call("retry_job", { p_id: id, p_now: noon });
    expect(await errors()).toEqual([]);
  });
});
