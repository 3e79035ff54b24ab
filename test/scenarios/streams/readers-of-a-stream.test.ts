// In real time: the subject is sockets, and what the database is asked while hundreds of them are open.
import { setTimeout as sleep } from "node:timers/promises";
import { type ClaimedJob, JobFactory, StreamReader, testDatabase } from "@lockstep/test-support";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { startServer } from "../processes/server-process.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const over = new AbortController();
let url = "";

beforeEach(async () => {
  await jobs.aPipeline("orders", ["read"]);
  ({ url } = await startServer(db));
  onTestFinished(() => over.abort());
});

async function aStream(): Promise<{ write(chunks: unknown[], at?: Date): Promise<void>; job: ClaimedJob }> {
  const job = await jobs.aClaimedJob({ by: await jobs.aWorker({ at: new Date() }), at: new Date() });
  let after: number | null = null;
  const write = async (chunks: unknown[], p_now = new Date()) => {
    const p_writes = [{ id: job.id, token: job.claim_token, name: "text", after, chunks }];
    const [written] = await db.call<{ answer: string; last_entry: string }>("write_streams", {
      p_writes,
      p_now,
    });
    expect(written?.answer).toBe("applied");
    after = Number(written?.last_entry);
  };
  return { job, write };
}

async function open({ id }: ClaimedJob): Promise<StreamReader> {
  const response = await fetch(`${url}/api/v1/jobs/${id}/streams/text`, { signal: over.signal });
  expect(response.status).toBe(200);
  return new StreamReader(response);
}

async function chunksOf(reader: StreamReader, count: number): Promise<unknown[]> {
  const chunks: unknown[] = [];
  while (chunks.length < count) {
    const { data } = await reader.nextOf("chunks");
    chunks.push(...(data as { chunks: unknown[] }).chunks);
  }
  return chunks;
}

/** How many transactions the database has counted; each connection tells of its own at most once a second. */
async function transactions(): Promise<number> {
  const [row] = await db.query<{ count: string }>(
    "select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()",
  );
  return Number(row?.count);
}

test("400 readers of a stream cost the database what one does, and a slow one keeps nobody waiting", async () => {
  const { job, write } = await aStream();
  const words = Array.from({ length: 20 }, (_, n) => `word ${n}`);
  const window = async () => {
    const beganAtMs = performance.now();
    const before = await transactions();
    for (const word of words) {
      await write([word]);
      await sleep(75);
    }
    return (((await transactions()) - before) * 1_000) / (performance.now() - beganAtMs);
  };
  const first = await open(job);
  await sleep(1_200);
  const alone = await window();
  expect(await chunksOf(first, words.length)).toEqual(words);

  const others = await Promise.all(Array.from({ length: 399 }, () => open(job)));
  const all = await Promise.all(others.map((reader) => chunksOf(reader, words.length)));
  expect(all).toEqual(others.map(() => words));
  await sleep(1_200);
  const crowded = await window();
  const again = await Promise.all([first, ...others].map((reader) => chunksOf(reader, words.length)));
  expect(again).toEqual([first, ...others].map(() => words));
  // A read per reader would be four thousand a second.
  expect(crowded).toBeLessThan(alone * 1.5 + 20);

  await Promise.all(others.map((reader) => reader.close()));

  // More than all buffers on the way to one that reads nothing.
  const slow = await open(job);
  const had = await chunksOf(slow, 1);
  const blocks = Array.from({ length: 28 }, (_, n) =>
    Array.from({ length: 4 }, () => `${n} `.repeat(16_000)),
  );
  for (const [n, block] of blocks.entries()) {
    // The rate does not matter here.
    await write(block, new Date(Date.now() + 20_000 * (n + 1)));
    expect(await chunksOf(first, 4)).toEqual(block);
  }
  await db.value("complete_job", { p_id: job.id, p_claim_token: job.claim_token });
  await first.nextOf("end");
  const late = [...had, ...(await chunksOf(slow, 2 * words.length - had.length + 4 * blocks.length))];
  expect(late).toEqual([...words, ...words, ...blocks.flat()]);
  await slow.nextOf("end");
}, 120_000);
