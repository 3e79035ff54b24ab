import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const hours = (count: number) => secondsAfter(noon, count * 3_600);
let worker: string;

interface HistoryRow {
  fingerprint: string;
  begins_at: Date;
  jobs: (number | null)[];
}

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  await jobs.aPipeline("letters", ["send"]);
  worker = await jobs.aWorker({ leaseSeconds: 86_400 });
});

/** Three hours from noon on, hour by hour. */
const history = (args: object = {}) =>
  db.call<HistoryRow>("read_error_history", { p_from: noon, p_to: hours(3), ...args });
const numbers = async (args: object = {}) => (await history(args)).map((row) => row.jobs);

async function aFailure(message: string, at: Date, stage = "orders/read") {
  const [pipeline = ""] = stage.split("/");
  const claimed = await jobs.aClaimedJob({ by: worker, at, pipeline, stage });
  await db.value("fail_job", {
    p_id: claimed.id,
    p_claim_token: claimed.claim_token,
    p_error: { name: "PrinterError", message },
    p_retry: false,
    p_now: at,
  });
  const [row] = await db.query<{ fingerprint: string }>(
    "select fingerprint from lockstep.unsuccessful_jobs where id = $1",
    [claimed.id],
  );
  return { id: claimed.id, fingerprint: row?.fingerprint ?? "" };
}

describe("how many jobs failed with an error", () => {
  test("is told for each kind step by step, also where none did", async () => {
    const tray = await aFailure("tray 1 is empty", noon);
    await aFailure("tray 2 is empty", hours(0.5));
    const ink = await aFailure("no ink", hours(1));
    await aFailure("tray 3 is empty", hours(2.9));
    await aFailure("tray 4 is empty", hours(3));
    const rows = await history({ p_from: hours(0.2) });
    expect(rows.map(({ begins_at }) => begins_at)).toEqual([noon, noon]);
    expect(new Map(rows.map((row) => [row.fingerprint, row.jobs]))).toEqual(
      new Map([
        [tray.fingerprint, [2, 0, 1]],
        [ink.fingerprint, [0, 1, 0]],
      ]),
    );
    expect(await numbers({ p_fingerprint: ink.fingerprint })).toEqual([[0, 1, 0]]);
    expect(await numbers({ p_to: null, p_from: null, p_step: "1 day", p_now: hours(4) })).toContainEqual([
      0, 4,
    ]);
  });

  test("leaves out a job that is retried, and is told of a pipeline's kind though no job has it any more", async () => {
    const { id, fingerprint } = await aFailure("no ink", noon);
    await aFailure("no stamp", hours(1), "letters/send");
    expect(await numbers({ p_pipeline: "letters" })).toEqual([[0, 1, 0]]);
    await db.call("retry_job", { p_id: id, p_now: hours(2) });
    expect(await numbers({ p_pipeline: "orders" })).toEqual([]);
    expect(await numbers({ p_pipeline: "orders", p_fingerprint: fingerprint })).toEqual([[0, 0, 0]]);
  });

  test("is unknown before the failures that were looked at, in the pipeline that has more", async () => {
    const old = await aFailure("tray is empty", noon);
    await aFailure("no stamp", noon, "letters/send");
    for (const hour of [1, 1.1, 2]) await aFailure("no ink", hours(hour));
    expect(await numbers({ p_pipeline: "orders", p_look_at: 2 })).toEqual([[null, 1, 1]]);
    expect(await numbers({ p_pipeline: "orders", p_look_at: 2, p_fingerprint: old.fingerprint })).toEqual([
      [null, 0, 0],
    ]);
    expect(await numbers({ p_pipeline: "orders", p_look_at: 2, p_to: hours(1.05) })).toHaveLength(2);
    // Two of each pipeline, of which one has no more and leaves its second to the other.
    const rows = await numbers({ p_look_at: 4 });
    expect(rows).toHaveLength(2);
    expect(rows).toEqual(
      expect.arrayContaining([
        [null, 2, 1],
        [1, 0, 0],
      ]),
    );
  });

  test("adds up to no more than the list of errors tells, however far back each looks", async () => {
    for (const hour of [-30, -20, -10]) await aFailure("no stamp", hours(hour), "letters/send");
    for (const hour of [0, 1, 1.1, 2]) await aFailure("no ink", hours(hour));
    for (const p_look_at of [2, 4, 6, 100]) {
      const listed = await db.call<{ fingerprint: string; jobs: string }>("list_errors", { p_look_at });
      for (const { fingerprint, jobs: some } of await history({ p_look_at })) {
        const total = some.reduce<number>((sum, value) => sum + (value ?? 0), 0);
        expect(total).toBe(Number(listed.find((kind) => kind.fingerprint === fingerprint)?.jobs));
      }
    }
  });

  test.each([
    { p_step: "1 second" },
    { p_from: hours(4) },
    { p_from: hours(-20), p_step: "1 minute" },
    { p_look_at: 0 },
  ])("is refused for %o", async (args) => {
    await expect(history(args)).rejects.toMatchObject({ code: "LS001" });
  });
});
