import { randomUUID } from "node:crypto";
import { type ClaimedJob, JobFactory, localPeer, StreamReader, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { ServerOptions } from "../config/server-config.ts";
import { createServer } from "../create-server.ts";
import { operatorAndViewer, tokens } from "../testing/served.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const { viewer, operator } = tokens;
const adas = "a-token-of-one-who-is-bound-to-ada";
const expiresInMs = 60_000;
let worker: string;

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
  worker = await jobs.aWorker({ at: new Date() });
});

function aServer(options: Partial<ServerOptions> = {}) {
  const engine = createEngine({
    databaseUrl: db.url,
    tokenSecret: "a secret of the tests, long enough",
    logger: null,
  });
  const server = createServer({
    engine,
    access: {
      tokens: [...operatorAndViewer, { user: "ada's shop", role: "operator", owner: "ada", token: adas }],
    },
    logger: null,
    ...options,
  });
  const open: StreamReader[] = [];
  const stop = async () => {
    await Promise.all(open.map((stream) => stream.close()));
    await server.stop();
    await engine.stop();
  };
  onTestFinished(stop);
  const get = (path: string, token: string | null = operator, headers: Record<string, string> = {}) =>
    server.fetch(
      new Request(`http://localhost/api/v1${path}`, {
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      }),
      localPeer,
    );
  const follow = async (path: string, token?: string | null, headers?: Record<string, string>) => {
    const response = await get(path, token, headers);
    expect(response.status, response.ok ? "" : await response.clone().text()).toBe(200);
    const stream = new StreamReader(response);
    open.push(stream);
    return stream;
  };
  const status = async (path: string, token?: string | null) => {
    const response = await get(path, token, { accept: "application/json" });
    const { code = "" } = (await response.json()) as { code?: string };
    return `${response.status} ${code}`.trim();
  };
  return { engine, get, follow, status, stop };
}

async function write(claim: ClaimedJob, chunks: unknown[], after: number | null = null): Promise<void> {
  const p_writes = [{ id: claim.id, token: claim.claim_token, name: "text", after, chunks }];
  await db.call("write_streams", { p_writes });
}

const complete = ({ id, claim_token }: ClaimedJob) =>
  db.value("complete_job", { p_id: id, p_claim_token: claim_token });

const aRunningJob = (owner?: string) =>
  jobs.aClaimedJob({ by: worker, at: new Date(), ...(owner && { owner }) });

test("chunks come as they are written, with the ids to go on from, and end with the job", async () => {
  const { follow } = aServer();
  const job = await aRunningJob();
  const path = `/jobs/${job.id}/streams/text`;
  const stream = await follow(path);
  await write(job, ["one ", "two "]);
  const first = await stream.nextOf("chunks");
  expect(first.data).toEqual({ seq: 1, chunks: ["one ", "two "] });
  await write(job, [{ three: 3 }], 2);
  expect((await stream.nextOf("chunks")).data).toEqual({ seq: 3, chunks: [{ three: 3 }] });
  await complete(job);
  expect((await stream.nextOf("end")).data).toEqual({});
  expect(await stream.next()).toBeNull();

  const again = await follow(path, operator, { "last-event-id": first.id ?? "" });
  expect((await again.nextOf("chunks")).data).toEqual({ seq: 3, chunks: [{ three: 3 }] });
  await again.nextOf("end");
});

test("a new attempt's first write is a rewind, also for one who comes back to another server", async () => {
  const job = await aRunningJob();
  const path = `/jobs/${job.id}/streams/text`;
  const before = aServer();
  const stream = await before.follow(path);
  await write(job, ["Once "]);
  const had = await stream.nextOf("chunks");
  await before.stop();
  const again = await jobs.nextAttempt(job, { by: worker, at: new Date() });
  await write(again, ["Twice "]);
  const after = await aServer().follow(path, operator, { "last-event-id": had.id ?? "" });
  expect(await after.nextOf("rewind")).toMatchObject({ id: "start", data: { to: 0 } });
  expect((await after.nextOf("chunks")).data).toEqual({ seq: 1, chunks: ["Twice "] });
});

test("what there is now comes as a page for those who ask for JSON", async () => {
  const { get } = aServer();
  const job = await aRunningJob();
  await write(job, ["one ", "two "]);
  const page = async (query = "") =>
    (await get(`/jobs/${job.id}/streams/text${query}`, operator, { accept: "application/json" })).json();
  const first = (await page()) as { cursor: string };
  expect(first).toMatchObject({
    data: [{ type: "chunks", seq: 1, chunks: ["one ", "two "] }],
    hasMore: false,
    isOver: false,
  });
  await complete(job);
  expect(await page(`?after=${first.cursor}`)).toEqual({
    ...{ data: [], cursor: first.cursor, hasMore: false, isOver: true },
  });
  const list = await get(`/jobs/${job.id}/streams`);
  expect(await list.json()).toMatchObject({ data: [{ name: "text", chunks: 2 }] });
});

test("a stream is for its owner, for tokens that open its job, and for those with the right to data", async () => {
  const { engine, status } = aServer();
  const job = await aRunningJob("ada");
  await write(job, ["for Ada"]);
  const path = `/jobs/${job.id}/streams/text`;
  const ofJob = engine.jobToken(job.id, { expiresInMs });
  for (const token of [operator, adas, engine.ownerToken("ada", { expiresInMs }), ofJob]) {
    expect(await status(path, token)).toBe("200");
  }
  expect(await status(`${path}?token=${ofJob}`, null)).toBe("200");
  expect(await status(path, null)).toBe("401 token.missing");
  expect(await status(path, viewer)).toBe("403 rights.missing");
  expect(await status(path, engine.ownerToken("bob", { expiresInMs }))).toBe("404 job.not_found");
  expect(await status(path, engine.jobToken(randomUUID(), { expiresInMs }))).toBe("404 job.not_found");
  expect(await status(path, engine.ownerToken("ada", { expiresInMs: 1 }).slice(0, -2))).toMatch(/^401/);
  const bobs = await aRunningJob("bob");
  expect(await status(`/jobs/${bobs.id}/streams/text`, adas)).toBe("404 job.not_found");
  expect(await status(`/jobs/${bobs.id}/streams`, adas)).toBe("404 job.not_found");
  // A token for streams opens nothing else of its job.
  expect(await status(`/jobs/${job.id}/streams`, ofJob)).toMatch(/^401/);
});

test("wrong names and cursors are refused", async () => {
  const { status } = aServer();
  const job = await aRunningJob();
  expect(await status(`/jobs/${job.id}/streams/a%2Fb`)).toBe("422 input.invalid");
  expect(await status(`/jobs/${job.id}/streams/text?after=nonsense`)).toBe("422 input.invalid");
  expect(await status(`/jobs/${randomUUID()}/streams/text`)).toBe("404 job.not_found");
});

test("secrets in chunks are hidden", async () => {
  const { get } = aServer({ redact: ["/streams/text/*/card"] });
  const job = await aRunningJob();
  await write(job, [{ card: "4111", password: "p", note: "see https://me:pass@example.com/" }]);
  const answer = await get(`/jobs/${job.id}/streams/text`, operator, { accept: "application/json" });
  const { data } = (await answer.json()) as { data: { chunks: object[] }[] };
  expect(data[0]?.chunks).toEqual([
    { card: "[redacted]", password: "[redacted]", note: "see https://me:[redacted]@example.com/" },
  ]);
});
