import { apiCaller, aWaitingJob, aWaitingPipeline, JobFactory, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { createServer } from "../create-server.ts";

const db = testDatabase();
const factory = new JobFactory(db);
const engine = createEngine({ databaseUrl: db.url, logger: null, tokenSecret: "s".repeat(32) });
const lines: string[] = [];
const log = (line: object, message: string) => lines.push(JSON.stringify(line) + message);
const server = createServer({
  engine,
  access: { tokens: [{ user: "otto", role: "operator", token: "a-token-of-an-operator-in-the-tests" }] },
  mountPath: "/ops",
  logger: { debug: log, info: log, warn: log, error: log },
  writesPerSecond: null,
  readsPerSecond: null,
});
const call = apiCaller(server, "http://localhost");
const waiting = (options: Parameters<typeof aWaitingJob>[2] = {}) => aWaitingJob(db, factory, options);

async function linkTo(id: string, by = "ada", expiresInMs = 60_000): Promise<string> {
  const link = await engine.approvalLink(id, "approval", {
    by,
    expiresInMs,
    baseUrl: "http://localhost/ops",
  });
  return new URL(link).pathname;
}

const look = (path: string) => call<string>(`GET ${path}`, { headers: { accept: "text/html" } });
const sent = (path: string, form: Record<string, string>) =>
  call<string>(`POST ${path}`, {
    body: new URLSearchParams(form).toString(),
    // As Chromium sends it from a page that tells nobody where it is.
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      origin: "null",
      "sec-fetch-site": "same-origin",
    },
  });
const signals = () => db.query<{ value: unknown }>("select value, sent_by from lockstep.signals");

beforeEach(() => db.reset());
beforeEach(() => aWaitingPipeline(factory));
afterAll(async () => {
  await server.stop();
  await engine.stop();
});

describe("the page of an approval link", () => {
  test("shows what is to be decided and a form, and decides nothing however often it is read", async () => {
    const id = await waiting({ payload: { item: "a <b>lamp</b>" }, output: { price: 5 } });
    const path = await linkTo(id);
    for (let reads = 0; reads < 3; reads += 1) {
      const { status, body, headers } = await look(path);
      expect(status).toBe(200);
      expect(body).toContain("a &lt;b&gt;lamp&lt;/b&gt;");
      expect(body).not.toContain("<b>");
      expect(body).toMatch(/<dt>Price<\/dt><dd><p>5<\/p><\/dd>/);
      expect(body).toMatch(/<input type="radio" name="\/approved" value="true" required>/);
      expect(body).toContain('href="/ops/page.css"');
      expect(body).not.toContain("<script");
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      );
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
    await call(`HEAD ${path}`);
    expect(await signals()).toEqual([]);
    expect(await factory.read(id)).toMatchObject({ stage: "approval", status: "scheduled" });
  });

  test("takes the form as the decision, with an audit row in the name of whom it was made for", async () => {
    const id = await waiting();
    const path = await linkTo(id);
    const { status, body } = await sent(path, { "/approved": "true", "/note": "Go on" });
    expect(status).toBe(200);
    expect(body).toContain("Your decision was taken");
    expect(await factory.read(id)).toMatchObject({
      stage: "ship",
      outputs: { approval: { approved: true, note: "Go on" } },
    });
    expect(await engine.recordedActions()).toMatchObject([
      { user: "ada", action: "jobs.signal", target: `jobs/${id}`, outcome: "signalled" },
    ]);
  });

  test("shows the form again with what was written if it does not fit, and decides nothing", async () => {
    const id = await waiting();
    const path = await linkTo(id);
    const refused = await sent(path, { "/note": 'so "nice" <i>' });
    expect(refused.status).toBe(422);
    expect(refused.body).toContain("This cannot be taken");
    expect(refused.body).toContain("so &quot;nice&quot; &lt;i&gt;");
    expect(await signals()).toEqual([]);
  });

  test("keeps a decision on a job that is not there yet", async () => {
    const id = await factory.aPendingJob({ stage: "orders/quote" } as object);
    const { status, body } = await sent(await linkTo(id), { "/approved": "false" });
    expect([status, body.includes("It is kept until the job can take it")]).toEqual([200, true]);
    expect(await signals()).toMatchObject([{ value: { approved: false }, sent_by: "ada" }]);
  });
});

describe("a link that decides nothing says why", () => {
  const titleOf = (html: string) => /<h1>(.*?)<\/h1>/.exec(html)?.[1];

  /** What both say: whoever opens it, and whoever sends its form. */
  async function told(path: string): Promise<unknown[]> {
    const before = await signals();
    const [read, written] = [await look(path), await sent(path, { "/approved": "true" })];
    expect(await signals()).toEqual(before);
    expect([written.status, titleOf(written.body)]).toEqual([read.status, titleOf(read.body)]);
    expect(read.body).not.toContain("<form");
    return [read.status, titleOf(read.body)];
  }

  test("when it is forged", async () => {
    const path = await linkTo(await waiting());
    expect(await told(`${path.slice(0, -3)}abc`)).toEqual([404, "This link is not valid"]);
    expect(await told("/ops/approvals/nonsense")).toEqual([404, "This link is not valid"]);
  });

  test("when it has expired", async () => {
    const path = await linkTo(await waiting(), "ada", 1);
    await expect.poll(async () => await told(path)).toEqual([410, "This link has expired"]);
  });

  test("when it was used", async () => {
    const path = await linkTo(await waiting());
    await sent(path, { "/approved": "false" });
    expect(await told(path)).toEqual([410, "This has been decided already"]);
  });

  test("when a decision is kept for a job that is not there yet", async () => {
    const path = await linkTo(await factory.aPendingJob({ stage: "orders/quote" } as object));
    await sent(path, { "/approved": "false" });
    expect(await told(path)).toEqual([410, "This has been decided already"]);
    const kept = "is kept until the job can take it";
    expect([(await look(path)).body, (await sent(path, { "/approved": "true" })).body]).toEqual([
      expect.stringContaining(kept),
      expect.stringContaining(kept),
    ]);
  });

  test("when a decision is kept because the wait is paused", async () => {
    const id = await waiting();
    await engine.pause("orders", "approval");
    const path = await linkTo(id);
    await sent(path, { "/approved": "false" });
    expect(await told(path)).toEqual([410, "This has been decided already"]);
    expect((await look(path)).body).toContain("is kept until the job can take it");
  });

  test("when the job was retried since", async () => {
    const id = await waiting();
    const path = await linkTo(id);
    await engine.cancel(id);
    await engine.retry(id, { fromStage: "quote" });
    expect(await told(path)).toEqual([409, "This link is out of date"]);
  });

  test("when the job has ended", async () => {
    const id = await waiting();
    const path = await linkTo(id);
    await engine.cancel(id);
    expect(await told(path)).toEqual([410, "There is nothing left to decide"]);
  });

  test("when the wait has timed out", async () => {
    await aWaitingPipeline(factory, { waitMs: 1, onTimeout: "continue" });
    const path = await linkTo(await waiting());
    await db.call("end_due_waits", { p_now: new Date(Date.now() + 1_000) });
    expect(await told(path)).toEqual([410, "It is too late to decide this"]);
  });

  test("when it was made for the owner, who may not decide", async () => {
    await aWaitingPipeline(factory, { notBy: "owner" });
    const path = await linkTo(await waiting({ owner: "ada" }));
    expect(await told(path)).toEqual([403, "Somebody else has to decide this"]);
  });
});

test("a page of another site cannot send the form", async () => {
  const path = await linkTo(await waiting());
  const { status } = await call(`POST ${path}`, { body: { approved: true } });
  expect(status).toBe(415);
  expect(await signals()).toEqual([]);
});

test("the log has no part of a link that decides", async () => {
  const path = await linkTo(await waiting());
  const token = path.split("/").at(-1) ?? "";
  lines.length = 0;
  await look(path);
  await sent(path, { "/approved": "true" });
  expect(lines).toHaveLength(2);
  expect(lines.join()).not.toContain(token.slice(0, 20));
  expect(lines.join()).toContain("/approvals/…");
});
