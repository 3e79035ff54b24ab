import { JobFactory, noon, secondsAfter, testDatabase } from "@lockstep/test-support";
import { beforeAll, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const at = secondsAfter(noon, 5);
let worker: string;

beforeAll(async () => {
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker({ leaseSeconds: 600 });
});

const rows = (ids: string[]) => db.call<{ id: string }>("job_rows", { p_ids: ids });

test("jobs are told where they stand, live or finished, and unknown ones not at all", async () => {
  const failed = await jobs.aFailedJob({ by: worker, at });
  const held = await jobs.aClaimedJob({ by: worker, at, owner: "ada" });
  await db.value("report_progress", {
    p_id: held.id,
    p_claim_token: held.claim_token,
    p_percent: 40,
    p_note: "half way",
  });
  const waiting = await jobs.aPendingJob();
  // An id that tells no time.
  const odd = await jobs.aFailedJob({
    by: worker,
    at,
    id: "3f1c7a4e-0000-4000-8000-000000000001",
    priority: 1,
  });
  const unknown = "0190a000-0000-7000-8000-00000000dead";

  const found = await rows([failed.id, held.id, waiting, odd.id, unknown]);
  expect(new Map(found.map((row) => [row.id, row]))).toEqual(
    new Map<string, unknown>([
      [failed.id, aFailedRow(failed.id)],
      [odd.id, aFailedRow(odd.id)],
      [waiting, aRow({ id: waiting, status: "pending", attempt: 0, updated_at: noon })],
      [
        held.id,
        {
          ...aRow({ id: held.id, status: "processing", attempt: 1, updated_at: at }),
          claimed_at: at,
          worker_id: worker,
          progress: 40,
          progress_note: "half way",
          owner: "ada",
        },
      ],
    ]),
  );
});

test("no ids have no rows, and more than 100 are refused", async () => {
  expect(await rows([])).toEqual([]);
  await expect(rows(Array.from({ length: 101 }, () => worker))).rejects.toMatchObject({ code: "LS001" });
});

function aFailedRow(id: string) {
  const times = { claimed_at: at, finished_at: at, updated_at: at };
  return aRow({ id, status: "failed", attempt: 1, worker_id: worker, ...times });
}

function aRow(row: object) {
  const place = { pipeline: "orders", stage: "read", losses: 0, worker_id: null };
  const progress = { progress: null, progress_note: null, owner: null };
  const times = { scheduled_for: null, claimed_at: null, finished_at: null, cancel_requested_at: null };
  return { ...place, ...progress, ...times, ...row };
}
