import { randomUUID } from "node:crypto";
import {
  type ClaimedJob,
  JobFactory,
  noon,
  StreamSql,
  secondsAfter,
  testDatabase,
  untilBlocked,
} from "@lockstep/test-support";
import { beforeEach, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const streams = new StreamSql(db);
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker({ leaseSeconds: 3_600 });
});

const keptTexts = async (job: ClaimedJob) => (await streams.read(job.id)).texts;

test("one call writes for many jobs, and each is answered by its number", async () => {
  const [one, two] = [await jobs.aClaimedJob({ by: worker }), await jobs.aClaimedJob({ by: worker })];
  const stranger = { id: one.id, claim_token: randomUUID() };
  const answers = await streams.tryWrite([
    [two, { chunks: ["two"] }],
    [stranger, { chunks: ["no"] }],
    [one, { chunks: ["one", "more"] }],
    [one, { name: "not/allowed", chunks: ["no"] }],
    [one, { name: "b", chunks: ["b"] }],
  ]);
  const byNumber = answers.sort((a, b) => a.number - b.number);
  expect(byNumber.map(({ answer }) => answer)).toEqual([
    "applied",
    "lease_lost",
    "applied",
    "refused",
    "applied",
  ]);
  expect(byNumber[2]?.last_entry).toBe("2");
  expect([await keptTexts(one), await keptTexts(two)]).toEqual([["one", "more"], ["two"]]);
});

test("what a worker writes after it has lost its claim is refused, also beside the new holder", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  const after = await streams.write(job, { chunks: ["old"] });
  const late = secondsAfter(noon, 4_000);
  await db.call("sweep_lost_workers", { p_now: late });
  const write = async () => (await streams.tryWrite([[job, { after, chunks: ["late"] }]]))[0]?.answer;
  expect(await write()).toBe("lease_lost");
  const [taken] = await jobs.claimAs(await jobs.aWorker({ at: late }), { at: late });
  expect(await write()).toBe("lease_lost");
  await streams.write({ id: job.id, claim_token: taken?.claim_token ?? "" }, { chunks: ["new"] });
  expect(await write()).toBe("lease_lost");
  expect(await keptTexts(job)).toEqual(["new"]);
});

test("a write that is sent again is recognised, the first one of a claim too", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  const first = await streams.write(job, { chunks: ["a", "b"] });
  expect((await streams.tryWrite([[job, { chunks: ["a", "b"] }]]))[0]).toMatchObject({
    answer: "already_applied",
    last_entry: "2",
  });
  await streams.write(job, { after: first, chunks: ["c"] });
  expect((await streams.tryWrite([[job, { after: first, chunks: ["c"] }]]))[0]?.answer).toBe(
    "already_applied",
  );
  expect((await streams.tryWrite([[job, { after: 9, chunks: ["d"] }]]))[0]?.answer).toBe("out_of_step");
  expect(await keptTexts(job)).toEqual(["a", "b", "c"]);
});

test("a handler may cut off what it wrote itself", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  const after = await streams.write(job, { chunks: ["a", "b"] });
  const { cursor } = await streams.read(job.id);
  await streams.write(job, { after, rewind: true, chunks: ["c"] });
  expect(await streams.read(job.id, cursor)).toMatchObject({ rewinds: [0], texts: ["c"], seqs: [1] });
});

test("a job that another transaction has locked holds up nobody, and is written later", async () => {
  const [held, free] = [await jobs.aClaimedJob({ by: worker }), await jobs.aClaimedJob({ by: worker })];
  const other = await db.connect();
  await other.query("begin");
  await other.query(`select from ${db.schema}.jobs where id = $1 for update`, [held.id]);
  const writes: Parameters<typeof streams.tryWrite>[0] = [
    [held, { chunks: ["later"] }],
    [free, { chunks: ["now"] }],
  ];
  const answerOf = async (job: ClaimedJob) =>
    (await streams.tryWrite(writes)).find(({ number }) => writes[number - 1]?.[0] === job)?.answer;
  expect(await answerOf(held)).toBe("busy");
  expect(await keptTexts(free)).toEqual(["now"]);
  await other.query("commit");
  await other.end();
  expect(await answerOf(held)).toBe("applied");
});

test("too long a chunk, too many streams and too much text are refused with a sentence, and change nothing", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  const refusal = async (write: Parameters<typeof streams.write>[1]) => {
    const [written] = await streams.tryWrite([[job, write]]);
    return written?.answer === "refused" ? written.detail : written?.answer;
  };
  expect(await refusal({ chunks: ["x".repeat(65_536)] })).toContain("but the limit is 65536 (64 KiB)");
  expect(await refusal({ chunks: Array.from({ length: 5 }, () => "x".repeat(60_000)) })).toContain(
    "(256 KiB)",
  );
  expect(await refusal({ chunks: [] })).toContain("1 to 1000 chunks");
  expect(await streams.read(job.id)).toMatchObject({ kinds: [] });

  for (let number = 1; number <= 16; number += 1)
    await streams.write(job, { name: `s${number}`, chunks: ["x"] });
  expect(await refusal({ name: "s17", chunks: ["x"] })).toBe(
    `Job ${job.id} has 16 streams, and may have no more.`,
  );

  const block = Array.from({ length: 4 }, () => "x".repeat(65_000));
  let after = 1;
  for (let call = 0; call < 32; call += 1) {
    // The rate does not matter here.
    const at = secondsAfter(noon, 60 * (call + 1));
    after = await streams.write(job, { name: "s1", after, chunks: block, at });
  }
  const at = secondsAfter(noon, 3_600);
  expect(await refusal({ name: "s2", after: 1, chunks: block, at })).toContain("more than 8 MiB");
  // What is cut off makes room.
  expect(await refusal({ name: "s1", after, rewind: true, chunks: block, at })).toBe("applied");
  expect(await refusal({ name: "s2", after: 1, chunks: block, at })).toBe("applied");
});

test("who writes more than 2 MiB in ten seconds is told when to go on", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  const chunks = Array.from({ length: 4 }, () => "x".repeat(65_000));
  let after: number | null = null;
  for (let call = 0; call < 8; call += 1) after = await streams.write(job, { after, chunks });
  const [written] = await streams.tryWrite([[job, { after, chunks, at: secondsAfter(noon, 4) }]]);
  expect(written).toMatchObject({ answer: "too_fast", detail: "6000" });
  expect(await streams.write(job, { after, chunks, at: secondsAfter(noon, 10) })).toBe(36);
});

test("a job that has ended takes no more", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  const after = await streams.write(job, { chunks: ["a"] });
  await db.value("complete_job", { p_id: job.id, p_claim_token: job.claim_token, p_now: noon });
  expect((await streams.tryWrite([[job, { after, chunks: ["b"] }]]))[0]?.answer).toBe("lease_lost");
});

test("a job cannot end, or go to another worker, before what was written to it is committed", async () => {
  const job = await jobs.aClaimedJob({ by: worker });
  const [writer, other] = [await db.connect(), await db.connect()];
  const p_writes = [
    { id: job.id, token: job.claim_token, name: "text", after: null, chunks: ["last words"] },
  ];
  await writer.query("begin");
  await writer.query("select lockstep.write_streams($1)", [JSON.stringify(p_writes)]);
  const late = secondsAfter(noon, 4_000);
  // The sweep passes over what is locked.
  expect(await db.call("sweep_lost_workers", { p_now: late })).toMatchObject([{ lost_jobs: 0 }]);
  const ending = other.query("select lockstep.complete_job($1, $2)", [job.id, job.claim_token]);
  await untilBlocked(db);
  expect((await streams.read(job.id)).kinds).toEqual([]);
  await writer.query("commit");
  await ending;
  expect(await streams.read(job.id)).toMatchObject({ kinds: ["chunks", "over"], texts: ["last words"] });
});
