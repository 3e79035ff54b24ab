import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, noon, StreamSql, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const streams = new StreamSql(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read", "write"]);
  worker = await jobs.aWorker({ leaseSeconds: 3_600 });
});

interface Continued {
  readonly answer: string;
  readonly last_entry: string | null;
  readonly chunks: readonly unknown[];
}

async function continueAs({ id, claim_token }: ClaimedJob): Promise<Continued> {
  const [row] = await db.call<Continued>("continue_stream", {
    p_id: id,
    p_claim_token: claim_token,
    p_name: "text",
  });
  if (row === undefined) throw new Error("No answer.");
  return row;
}

test("a new attempt goes on with what is kept, and readers see no rewind", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  await streams.write(job, { chunks: ["a", { b: 1 }] });
  const reader = await streams.read(job.id);
  const again = await jobs.nextAttempt(job, { by: worker });
  const continued = await continueAs(again);
  expect(continued).toEqual({ answer: "applied", last_entry: "2", chunks: ["a", { b: 1 }] });
  // Sent again, because its reply was lost.
  expect(await continueAs(again)).toEqual(continued);
  expect((await streams.read(job.id, reader.cursor)).kinds).toEqual([]);
  await streams.write(again, { after: 2, chunks: ["c"] });
  expect(await streams.read(job.id, reader.cursor)).toMatchObject({
    kinds: ["chunks"],
    texts: ["c"],
    seqs: [3],
  });
});

test("a stream that has not begun has nothing to go on with", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  expect(await continueAs(job)).toEqual({ answer: "applied", last_entry: null, chunks: [] });
  await streams.write(job, { chunks: ["a"] });
  expect((await streams.read(job.id)).texts).toEqual(["a"]);
});

test("only what this stage wrote is given back", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  await streams.write(job, { chunks: ["of the first stage"] });
  await db.value("complete_job", { p_id: job.id, p_claim_token: job.claim_token, p_now: noon });
  const [next] = await jobs.claimAs(worker, { stage: "orders/write" });
  if (next === undefined) throw new Error("No claim.");
  expect(await continueAs(next)).toEqual({ answer: "applied", last_entry: "1", chunks: [] });
  await streams.write(next, { after: 1, chunks: ["of the second"] });
  expect((await continueAs(next)).chunks).toEqual(["of the second"]);
  expect((await streams.read(job.id)).texts).toEqual(["of the first stage", "of the second"]);
});

test("whoever does not hold the job gets nothing and takes nothing over", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  const after = await streams.write(job, { chunks: ["a"] });
  const answer = await continueAs({ ...job, claim_token: randomUUID() });
  expect(answer).toEqual({ answer: "lease_lost", last_entry: null, chunks: null });
  expect(await streams.write(job, { after, chunks: ["b"] })).toBe(2);
});
