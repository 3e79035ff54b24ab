import { randomUUID } from "node:crypto";
import {
  type ClaimedJob,
  JobFactory,
  noon,
  runRetention,
  StreamSql,
  secondsAfter,
  testDatabase,
} from "@lockstep/test-support";
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

const done = ({ id, claim_token }: ClaimedJob) =>
  db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_now: noon });

test("a reader gets the chunks in order, and after its cursor only what came since", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  const after = await streams.write(job, { chunks: ["one ", "two "] });
  const first = await streams.read(job.id);
  expect(first.texts).toEqual(["one ", "two "]);
  expect(first.seqs).toEqual([1, 2]);
  await streams.write(job, { after, chunks: [{ three: 3 }] });
  expect((await streams.read(job.id, first.cursor)).texts).toEqual([{ three: 3 }]);
  expect(await streams.read(job.id, first.cursors[0])).toMatchObject({
    texts: ["two ", { three: 3 }],
    seqs: [2, 3],
  });
});

test("a reader of several streams is told of each by its number", async () => {
  const [one, two] = [await jobs.aClaimedJob({ by: worker }), await jobs.aClaimedJob({ by: worker })];
  await streams.write(one, { name: "a", chunks: ["1a"] });
  await streams.write(one, { name: "b", chunks: ["1b"] });
  await streams.write(two, { name: "a", chunks: ["2a"] });
  const rows = await db.call<{ number: number; kind: string; chunks: unknown }>("read_streams", {
    p_ids: [two.id, one.id, one.id, two.id],
    p_names: ["a", "b", "a", "b"],
    p_cursors: [null, null, null, null],
  });
  expect(rows.map(({ number, kind, chunks }) => [number, kind, chunks])).toEqual([
    [1, "chunks", ["2a"]],
    [2, "chunks", ["1b"]],
    [3, "chunks", ["1a"]],
  ]);
});

test("the first write of a new attempt rewinds a reader once, to nothing", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  await streams.write(job, { chunks: ["Once upon", " a time"] });
  const reader = await streams.read(job.id);
  const again = await jobs.nextAttempt(job, { by: worker });
  expect((await streams.read(job.id, reader.cursor)).kinds).toEqual([]);
  const after = await streams.write(again, { chunks: ["Once"] });
  const told = await streams.read(job.id, reader.cursor);
  expect(told).toMatchObject({ kinds: ["rewind", "chunks"], rewinds: [0], texts: ["Once"], seqs: [1] });
  await streams.write(again, { after, chunks: [" more"] });
  expect(await streams.read(job.id, told.cursor)).toMatchObject({
    kinds: ["chunks"],
    texts: [" more"],
    seqs: [2],
  });
  // One who comes later has nothing to cut off.
  expect(await streams.read(job.id)).toMatchObject({ rewinds: [], texts: ["Once", " more"] });
});

test("a reader that missed two attempts is rewound once", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  await streams.write(job, { chunks: ["a", "b", "c"] });
  const reader = await streams.read(job.id);
  const second = await jobs.nextAttempt(job, { by: worker });
  await streams.write(second, { chunks: ["d", "e"] });
  const third = await jobs.nextAttempt(second, { by: worker });
  await streams.write(third, { chunks: ["f"] });
  for (const cursor of reader.cursors) {
    expect(await streams.read(job.id, cursor)).toMatchObject({ rewinds: [0], texts: ["f"] });
  }
});

test("a later stage adds to the stream, and its retry cuts back to where the earlier stage ended", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  await streams.write(job, { chunks: ["kept 1", "kept 2"] });
  const early = await streams.read(job.id);
  await done(job);
  const [next] = await jobs.claimAs(worker, { stage: "orders/write" });
  if (next === undefined) throw new Error("No claim.");
  await streams.write(next, { chunks: ["cut"] });
  const late = await streams.read(job.id);
  expect(late).toMatchObject({ rewinds: [], texts: ["kept 1", "kept 2", "cut"] });
  const again = await jobs.nextAttempt(next, { by: worker, stage: "orders/write" });
  await streams.write(again, { chunks: ["better"] });
  const told = await streams.read(job.id, late.cursor);
  expect(told).toMatchObject({ rewinds: [2], texts: ["better"], seqs: [3] });
  // The rewind alone is a place to go on from: whoever had it is not rewound again.
  expect(told.rewindCursor).toBe(early.cursor);
  expect(await streams.read(job.id, early.cursor)).toMatchObject({ rewinds: [], texts: ["better"] });
});

test("a job that a person sends back to an earlier stage cuts off what the later ones wrote", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  await done(job);
  const [next] = await jobs.claimAs(worker, { stage: "orders/write" });
  if (next === undefined) throw new Error("No claim.");
  await streams.write(next, { chunks: ["of the second stage"] });
  const reader = await streams.read(job.id);
  await db.value("fail_job", {
    ...{
      p_id: job.id,
      p_claim_token: next.claim_token,
      p_error: { message: "x" },
      p_retry: false,
      p_now: noon,
    },
  });
  await db.call("retry_job", { p_id: job.id, p_from_stage: "read", p_now: noon });
  const [back] = await jobs.claimAs(worker);
  if (back === undefined) throw new Error("No claim.");
  await streams.write(back, { chunks: ["of the first"] });
  expect(await streams.read(job.id, reader.cursor)).toMatchObject({ rewinds: [0], texts: ["of the first"] });
});

test("a stream is over when its job has ended and all is read", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  await done(job);
  const [next] = await jobs.claimAs(worker, { stage: "orders/write" });
  if (next === undefined) throw new Error("No claim.");
  await streams.write(next, { chunks: ["a"] });
  expect((await streams.read(job.id)).kinds).toEqual(["chunks"]);
  await done(next);
  const all = await streams.read(job.id);
  expect(all).toMatchObject({ kinds: ["chunks", "over"], texts: ["a"] });
  expect((await streams.read(job.id, all.cursor)).kinds).toEqual(["over"]);
  expect((await streams.read(randomUUID())).kinds).toEqual(["over"]);
});

test("a cursor that PostgreSQL knows nothing of begins anew", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  await streams.write(job, { chunks: ["a", "b"] });
  const { cursor } = await streams.read(job.id);
  const [entry, mark] = (cursor ?? "").split(".");
  for (const foreign of [
    `${entry}.${(Number(mark) + 1) % 2_000_000_000}`,
    `99.${mark}`,
    "nonsense",
    "9.9.9",
    "",
  ]) {
    expect(await streams.read(job.id, foreign)).toMatchObject({ rewinds: [0], texts: ["a", "b"] });
  }
});

test("a later job with the same id has streams of its own", async () => {
  const job = await jobs.aClaimedJob({ by: worker, owner: "ada" });
  await streams.write(job, { chunks: ["Ada's"] });
  const { cursor } = await streams.read(job.id);
  await db.query("delete from lockstep.jobs");
  const second = await jobs.aClaimedJob({ by: worker, id: job.id, owner: "bob", at: secondsAfter(noon, 5) });
  expect(await streams.read(job.id)).toMatchObject({ kinds: [] });
  expect(await db.call("job_streams", { p_id: job.id })).toEqual([]);
  await streams.write(second, { chunks: ["Bob's"] });
  expect((await streams.read(job.id)).texts).toEqual(["Bob's"]);
  expect(await streams.read(job.id, cursor)).toMatchObject({ rewinds: [0], texts: ["Bob's"] });
});

test("what is long comes page by page", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  let after: number | null = null;
  for (let call = 0; call < 7; call += 1)
    after = await streams.write(job, { after, chunks: [`${call}`, "-"] });
  const texts: unknown[] = [];
  const lasts: (string | undefined)[] = [];
  for (let cursor: string | null = null, pages = 0; pages < 4; pages += 1) {
    const page = await streams.read(job.id, cursor, 3);
    texts.push(...page.texts);
    lasts.push(page.kinds.at(-1));
    cursor = page.cursor;
  }
  expect(texts.join("")).toBe("0-1-2-3-4-5-6-");
  expect(lasts).toEqual(["more", "more", "chunks", undefined]);
});

test("a stream is gone as a whole when the day on which it began is past its time", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  await streams.write(job, { chunks: ["old"], at: noon });
  const keep = { p_keep_completed: "100 days", p_keep_unsuccessful: "100 days", p_keep_events: "3 days" };
  const retention = (days: number) => runRetention(db, { ...keep, p_now: secondsAfter(noon, days * 86_400) });
  await retention(3.4);
  expect((await streams.read(job.id)).texts).toEqual(["old"]);
  await retention(3.6);
  expect((await streams.read(job.id)).kinds).toEqual([]);
  expect(await db.query("select from lockstep.stream_chunks")).toEqual([]);
  expect(await db.query("select from lockstep.streams")).toEqual([]);
});
