import {
  apiCaller,
  JobFactory,
  localPeer,
  ManualClock,
  StreamReader,
  testDatabase,
} from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { ServerOptions } from "../config/server-config.ts";
import { createServer } from "../create-server.ts";
import { operatorAndViewer, tokens } from "../testing/served.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const tokenSecret = "a secret of the tests, long enough";
const { viewer, operator } = tokens;
const adas = "a-token-of-one-who-is-bound-to-ada";

beforeEach(async () => {
  await db.reset();
  await jobs.aPipeline("orders", ["read"]);
});

function aServer(options: Partial<ServerOptions> = {}) {
  const { clock } = options;
  const engine = createEngine({ databaseUrl: db.url, tokenSecret, logger: null, ...(clock && { clock }) });
  const server = createServer({
    engine,
    access: {
      tokens: [...operatorAndViewer, { user: "ada's shop", role: "viewer", owner: "ada", token: adas }],
    },
    logger: null,
    ...options,
  });
  const streams: StreamReader[] = [];
  onTestFinished(async () => {
    await Promise.all(streams.map((stream) => stream.close()));
    await server.stop();
    await engine.stop();
  });
  const get = (query: string, token: string | null = operator, headers: Record<string, string> = {}) =>
    server.fetch(
      new Request(`http://localhost/api/v1/events${query}`, {
        headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers },
      }),
      localPeer,
    );
  const open = async (query = "", token: string | null = operator, headers: Record<string, string> = {}) => {
    const response = await get(query, token, headers);
    expect(response.status, response.ok ? "" : await response.clone().text()).toBe(200);
    const stream = new StreamReader(response);
    streams.push(stream);
    return stream;
  };
  const refusal = async (query: string, token: string | null = operator) => {
    const response = await get(query, token);
    const { code } = (await response.json()) as { code: string };
    return `${response.status} ${code}`;
  };
  return { engine, server, get, open, refusal, call: apiCaller(server) };
}

async function aDoneJob(owner: string | null, p_output: unknown = { total: 7 }): Promise<string> {
  const worker = await jobs.aWorker();
  const { id, claim_token } = await jobs.aClaimedJob({ by: worker, ...(owner !== null && { owner }) });
  await db.value("complete_job", { p_id: id, p_claim_token: claim_token, p_output });
  return id;
}

describe("a stream", () => {
  test("has its distance from the log told by health", async () => {
    const { open, call } = aServer();
    const stream = await open();
    await stream.next();
    await stream.next();
    const { body } = await call<{ checks: object[] }>("GET /health", { token: operator });
    expect(body.checks).toContainEqual(
      expect.objectContaining({ check: "event log lag ms", value: expect.any(Number) }),
    );
  });

  test("begins with its place in the log, and tells what happens from then on", async () => {
    const { get, open } = aServer();
    const { headers } = await get("");
    expect(Object.fromEntries(headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    const stream = await open();
    expect(await stream.next()).toEqual({ id: null, event: null, data: null });
    expect(await stream.next()).toMatchObject({ id: expect.any(String), event: null });
    const id = await jobs.aPendingJob({ owner: "ada" });
    expect(await stream.next()).toEqual({
      id: expect.any(String),
      event: "job",
      data: {
        kind: "job.added",
        at: expect.any(String),
        jobId: id,
        pipeline: "orders",
        stage: "read",
        owner: "ada",
        detail: {},
      },
    });
  });

  test("goes on after the id of a message, which stands above the query, and from a place without one", async () => {
    const { open } = aServer();
    const stream = await open();
    await stream.next();
    const place = (await stream.next())?.id ?? "";
    const ids = [await jobs.aPendingJob({ owner: "ada" }), await jobs.aPendingJob({ owner: "ada" })];
    const first = await stream.nextOf("job");
    const back = await open("?after=start", operator, { "last-event-id": first.id ?? "" });
    expect((await back.nextOf("job")).data).toMatchObject({ jobId: ids[1] });
    const again = await open(`?after=${encodeURIComponent(place)}`);
    expect((await again.nextOf("job")).data).toMatchObject({ jobId: ids[0] });
  });

  test("of a cursor that leads nowhere tells the client to begin anew, and goes on", async () => {
    const { open } = aServer();
    const stream = await open("?after=1_999999999:999999999:__0_0");
    expect(await stream.nextOf("reset")).toMatchObject({ id: expect.any(String) });
    const id = await jobs.aPendingJob({ owner: "ada" });
    expect((await stream.nextOf("job")).data).toMatchObject({ jobId: id });
  });

  test("is narrowed down to an owner, a pipeline or a job", async () => {
    await jobs.aPipeline("letters", ["write"]);
    const { open, refusal } = aServer();
    const mine = await jobs.aPendingJob({ owner: "ada" });
    const letter = await jobs.aPendingJob({ owner: "bob", pipeline: "letters" });
    const first = async (query: string) => (await (await open(`?after=start&${query}`)).nextOf("job")).data;
    expect(await first("owner=bob")).toMatchObject({ jobId: letter });
    expect(await first("pipeline=letters")).toMatchObject({ jobId: letter });
    expect(await first(`jobId=${mine}`)).toMatchObject({ jobId: mine });
    expect(await refusal("?pipeline=lettres")).toBe("422 pipeline.unknown");
    expect(await refusal("?jobId=0192f0c1-7a3e-7cc3-98c4-dc0c0c07398f")).toBe("404 job.not_found");
  });

  test("hides what looks like a secret, and results from those who may not see payloads", async () => {
    const { open } = aServer();
    await aDoneJob("ada", { total: 7, password: "hunter2" });
    const end = async (token: string) => {
      const stream = await open("?after=start", token);
      for (;;) {
        const { data } = await stream.nextOf("job");
        const { kind, detail } = data as { kind: string; detail: unknown };
        if (kind === "job.completed") return detail;
      }
    };
    expect(await end(operator)).toEqual({ attempt: 1, result: { total: 7, password: "[redacted]" } });
    expect(await end(viewer)).toEqual({ attempt: 1 });
  });

  test("carries states, the whole of them at once and then what changes", async () => {
    const { open } = aServer();
    const id = await jobs.aPendingJob();
    const stream = await open(`?topics=stats,workers,rows,list&watch=${id}&filter=pipeline:orders`);
    const states: Record<string, unknown> = {};
    while (Object.keys(states).length < 4) {
      const { event, data } = (await stream.next()) ?? {};
      if (event) states[event] = data;
    }
    expect(states).toMatchObject({
      stats: {
        data: expect.arrayContaining([
          { pipeline: "orders", stage: "read", status: "pending", jobs: 1, paused: false },
        ]),
      },
      workers: { data: [] },
      rows: [{ id, status: "pending" }],
      list: { newCount: 0 },
    });
    await db.value("cancel_job", { p_id: id });
    expect((await stream.nextOf("rows")).data).toMatchObject([{ id, status: "cancelled" }]);
    await jobs.aPendingJob();
    expect((await stream.nextOf("list")).data).toEqual({ newCount: 1 });
  });

  test("says of a row that has failed what it failed with, less what nobody may see", async () => {
    const { open } = aServer();
    const worker = await jobs.aWorker({ at: new Date(), leaseSeconds: 600 });
    const { id, claim_token } = await jobs.aClaimedJob({ by: worker, at: new Date() });
    const stream = await open(`?topics=rows&watch=${id}`);
    expect((await stream.nextOf("rows")).data).toMatchObject([{ id, status: "processing" }]);
    const error = { name: "TypeError", message: "cannot read", password: "hunter2" };
    await db.value("fail_job", { p_id: id, p_claim_token: claim_token, p_error: error, p_retry: false });
    const [row] = (await stream.nextOf("rows")).data as [{ error: object }];
    expect(row).toMatchObject({ id, status: "failed", error: { name: "TypeError", message: "cannot read" } });
    expect(JSON.stringify(row)).not.toContain("hunter2");
  });

  test("that asks for something unknown is refused with a sentence", async () => {
    const { refusal } = aServer();
    expect(await refusal("?topics=statistics")).toBe("422 input.invalid");
    expect(await refusal("?watch=42&topics=rows")).toBe("422 input.invalid");
    expect(await refusal("?topics=list&filter=pipline:x")).toBe("422 filter.invalid");
    expect(await refusal("", null)).toBe("401 token.missing");
  });

  test("ends with the server", async () => {
    const { open, server } = aServer();
    const stream = await open("?topics=jobs,stats");
    await stream.nextOf("stats");
    await server.stop();
    while ((await stream.next()) !== null);
  });
});

describe("over time", () => {
  /** A stream whose time the test moves. */
  async function aTimedStream(token: (server: ReturnType<typeof aServer>) => string = () => operator) {
    const clock = new ManualClock();
    const server = aServer({ clock });
    const opening = server.open("?topics=jobs", token(server));
    const stream = await opening;
    await stream.next();
    await stream.next();
    let isOver = false;
    const heard: (string | null)[] = [];
    const reading = (async () => {
      for (let next = await stream.next(); next !== null; next = await stream.next()) heard.push(next.event);
      isOver = true;
    })();
    return { clock, heard, reading, isOver: () => isOver, server };
  }

  test("a stream says every 15 s that it is there, and ends within 15 minutes", async () => {
    const { clock, heard, isOver, reading } = await aTimedStream();
    await clock.advance(46_000);
    expect(heard).toEqual([": ping", ": ping", ": ping"]);
    await clock.advance(12 * 60_000);
    expect(isOver()).toBe(false);
    await clock.advance(3 * 60_000);
    await reading;
  });

  test("an end user's stream ends with the token", async () => {
    const { clock, isOver, reading } = await aTimedStream(({ engine }) =>
      engine.ownerToken("ada", { expiresInMs: 60_000 }),
    );
    await clock.advance(59_000);
    expect(isOver()).toBe(false);
    await clock.advance(1_000);
    await reading;
  });
});

describe("an end user", () => {
  test.each(["in the query", "as a bearer token"])("follows their own jobs with a token %s", async (way) => {
    const { engine, open } = aServer();
    await aDoneJob("bob");
    const id = await aDoneJob("ada");
    const token = engine.ownerToken("ada", { expiresInMs: 60_000 });
    const stream =
      way === "in the query"
        ? await open(`?after=start&token=${token}`, null)
        : await open("?after=start", token);
    const seen = [await stream.nextOf("job"), await stream.nextOf("job"), await stream.nextOf("job")];
    expect(seen.map(({ data }) => (data as { jobId: string }).jobId)).toEqual([id, id, id]);
    expect(seen[2]?.data).toMatchObject({ kind: "job.completed", detail: { result: { total: 7 } } });
  });

  test("follows one job with a token for it, be it of nobody", async () => {
    await jobs.aPipeline("open", ["only"], { events: true });
    const { engine, open, refusal } = aServer();
    const other = await jobs.aPendingJob({ pipeline: "open" });
    const id = await jobs.aPendingJob({ pipeline: "open" });
    const token = engine.jobToken(id, { expiresInMs: 60_000 });
    const stream = await open("?after=start", token);
    expect((await stream.nextOf("job")).data).toMatchObject({ jobId: id });
    expect(await refusal(`?jobId=${other}`, token)).toBe("404 job.not_found");
  });

  test("sees how a job stands and what came of it, and nothing else of the API", async () => {
    const { engine, call } = aServer();
    const id = await aDoneJob("ada");
    const foreign = await aDoneJob("bob");
    const token = engine.ownerToken("ada", { expiresInMs: 60_000 });
    expect(await call(`GET /jobs/${id}`, { token })).toMatchObject({
      status: 200,
      body: { id, status: "completed", result: { total: 7 }, payload: null, outputs: {}, attempts: [] },
    });
    const ofJob = engine.jobToken(foreign, { expiresInMs: 60_000 });
    expect((await call(`GET /jobs/${foreign}`, { token: ofJob })).status).toBe(200);
    expect((await call(`GET /jobs/${foreign}`, { token })).body).toMatchObject({ code: "job.not_found" });
    expect((await call(`GET /jobs/${id}`, { token: ofJob })).body).toMatchObject({ code: "job.not_found" });
    for (const line of [
      "GET /stats",
      "GET /workers",
      "GET /me",
      `GET /jobs/${id}/effects`,
      "POST /owner-tokens",
    ]) {
      expect((await call(line, { token, ...(line.startsWith("POST") && { body: {} }) })).status, line).toBe(
        401,
      );
    }
  });

  test("is refused without a genuine token, also where nobody else needs one", async () => {
    const { engine } = aServer();
    const { refusal, open } = aServer({ access: "loopback" });
    const token = engine.ownerToken("ada", { expiresInMs: 60_000 });
    await open(`?token=${token}`, null);
    for (const wrong of [`${token}x`, "nonsense", engine.ownerToken("ada", { expiresInMs: 1 })]) {
      await new Promise((resolve) => setTimeout(resolve, 2));
      expect(await refusal(`?token=${wrong}`, null)).toMatch(/^401 /);
    }
    expect(await refusal("", `${token}x`)).toMatch(/^401 /);
  });

  test("and whoever is bound to an owner hears of no one else", async () => {
    const { engine, refusal, open } = aServer();
    const foreign = await aDoneJob("bob");
    const id = await aDoneJob("ada");
    for (const token of [adas, engine.ownerToken("ada", { expiresInMs: 60_000 })]) {
      expect(await refusal("?topics=stats", token)).toBe("403 owner.bound");
      expect(await refusal("?owner=bob", token)).toBe("403 owner.bound");
      expect(await refusal(`?jobId=${foreign}`, token)).toBe("404 job.not_found");
      const stream = await open("?after=start&owner=ada", token);
      expect((await stream.nextOf("job")).data).toMatchObject({ jobId: id });
    }
  });
});

test("a user has so many streams at once, and a server so many in all", async () => {
  const { open, refusal } = aServer({ streamsPerUser: 2, streamsInAll: 3 });
  const first = await open("?topics=stats");
  await open("?topics=stats");
  expect(await refusal("?topics=stats")).toBe("429 streams.too_many");
  await open("?topics=stats", viewer);
  expect(await refusal("?topics=stats", adas)).toBe("403 owner.bound");
  expect(await refusal("", adas)).toBe("503 streams.full");
  await first.close();
  await open("?topics=stats");
});

test("who asks for the headers of a stream alone takes no place", async () => {
  const { server, get, open } = aServer({ streamsPerUser: 1, streamsInAll: 1 });
  const head = await server.fetch(
    new Request("http://localhost/api/v1/events", {
      method: "HEAD",
      headers: { authorization: `Bearer ${operator}` },
    }),
  );
  expect([head.status, head.body, head.headers.get("content-type")]).toEqual([
    200,
    null,
    "text/event-stream; charset=utf-8",
  ]);
  const stream = await open();
  expect((await get("")).status).toBe(503);
  await stream.close();
});

test("a client that has gone before it was answered, or reads nothing, gives its place back", async () => {
  const clock = new ManualClock();
  const { server, get, open } = aServer({ clock, streamsPerUser: 1, streamsInAll: 1 });
  const gone = new AbortController();
  const asking = server.fetch(
    new Request("http://localhost/api/v1/events?topics=stats", {
      headers: { authorization: `Bearer ${operator}` },
      signal: gone.signal,
    }),
  );
  gone.abort();
  await asking;
  const unread = await get("?topics=jobs");
  expect([unread.status, (await get("?topics=jobs")).status]).toEqual([200, 503]);
  // Two pings, and half a minute in which nothing of them was taken.
  await clock.advance(60_000);
  await open("?topics=jobs");
});

test("where no stream comes through, the same is asked for page by page", async () => {
  const { get } = aServer();
  const json = { accept: "application/json" };
  const page = async (query: string) =>
    (await (await get(query, operator, json)).json()) as {
      data: { type: string; cursor: string; event?: { jobId: string } }[];
      cursor: string;
      hasMore: boolean;
    };
  const { cursor, data } = await page("");
  expect(data).toEqual([]);
  const ids = [await jobs.aPendingJob({ owner: "ada" }), await jobs.aPendingJob({ owner: "ada" })];
  const next = await page(`?after=${encodeURIComponent(cursor)}`);
  expect(next).toMatchObject({
    data: ids.map((jobId) => ({ type: "job", event: { jobId } })),
    hasMore: false,
  });
  expect((await page(`?after=${encodeURIComponent(next.data[0]?.cursor ?? "")}`)).data).toHaveLength(1);
  expect(await page("?after=garbage")).toMatchObject({ data: [{ type: "reset" }], hasMore: false });
});

test("no token gets into the log of requests", async () => {
  const lines: unknown[] = [];
  const line = (...parts: unknown[]) => void lines.push(parts);
  const logger = { debug: line, info: line, warn: line, error: line };
  const { engine, open } = aServer({ logger });
  const token = engine.ownerToken("ada", { expiresInMs: 60_000 });
  await open(`?token=${token}`, null);
  expect(lines).not.toHaveLength(0);
  expect(JSON.stringify(lines)).not.toContain(token);
});
