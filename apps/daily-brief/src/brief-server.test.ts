import { listen } from "@lockstep/server";
import { testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { briefServer, newTokenSecret } from "./brief-server.ts";
import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";
import { notificationOf } from "./services/notification-of.ts";
import { ada, grace, kateryna } from "./test-support/example-people.ts";

const patient = { timeout: 25_000 };
const db = testDatabase();
const app = new DailyBriefApp(readDailyBriefConfig({}), async () => db.url, { withExamples: true });
let engine: ReturnType<typeof createEngine>;
let listening: Awaited<ReturnType<typeof listen>>;

beforeAll(async () => {
  const pipelines = Object.values(app.pipelines);
  engine = createEngine({ databaseUrl: db.url, pipelines, logger: null, tokenSecret: newTokenSecret() });
  app.addWith(engine);
  await app.database.prepare();
  await engine.start();
  listening = await listen(briefServer({ engine, app }), { port: 0 });
});

afterAll(async () => {
  await listening.stop();
  await engine.stop();
  await app.close();
});

const ask = (path: string, init?: RequestInit) => fetch(`${listening.url}${path}`, init);
const post = (path: string, job: object = {}) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(job) });

test("a person has briefs, messages and projects of their own, and splits no one else's project", async () => {
  const split = (person: string, projectId: string) =>
    post(`/app/jobs?person=${person}`, { type: "generate_phases", projectId });
  expect((await split(ada, "engine")).status).toBe(200);
  expect((await split(ada, "compiler")).status).toBe(404);
  const asked = await post(`/app/jobs?person=${ada}`, { type: "generate_daily_brief" });
  const { id } = (await asked.json()) as { id: string };
  await engine.result(id as never);
  const of = async (person: string) => (await ask(`/app/person?person=${person}`)).json();
  expect(await of(ada)).toMatchObject({ briefs: [{ personId: ada }], projects: [{ id: "engine" }] });
  expect(await of(grace)).toMatchObject({ briefs: [], messages: [], projects: [{ id: "compiler" }] });
});

test("without a provider nothing is called sent: mail and SMS are kept, and no mail is told of", async () => {
  const { id } = (await (await post(`/app/jobs?person=${ada}`, { type: "generate_daily_brief" })).json()) as {
    id: string;
  };
  await engine.result(id as never);
  const messages = () => app.outbox.messagesOf(ada);
  await expect
    .poll(async () => (await messages()).map(({ kind, state }) => `${kind} ${state}`).sort(), patient)
    .toEqual(["email kept", "sms kept"]);
  expect((await messages()).map(({ providerId }) => providerId)).toEqual([null, null]);
  const [mailed] = await engine.list({ pipeline: "generate_brief_email", owner: ada, limit: 1 });
  const result = await engine.result(mailed?.id as never);
  const entry = { kind: "job.completed", pipeline: "generate_brief_email", jobId: "", detail: { result } };
  expect(notificationOf(entry)).toBeNull();
});

test("who asks again for a brief that was cancelled has it tried again", async () => {
  await engine.pause("generate_daily_brief", "write");
  const ask = async () =>
    (await post(`/app/jobs?person=${kateryna}`, { type: "generate_daily_brief" })).json() as Promise<{
      id: string;
    }>;
  const { id } = await ask();
  expect(await ask()).toMatchObject({ id, created: false, isRetried: false });
  expect(await engine.cancel(id as never)).toBe("cancelled");
  expect(await ask()).toMatchObject({ id, created: false, isRetried: true });
  await engine.resume("generate_daily_brief", "write");
  expect(await engine.result(id as never)).toMatchObject({ timezone: "Asia/Kolkata" });
});

test("without a person's token the API opens nothing, and pages of other places are refused", async () => {
  expect((await ask("/lockstep/api/v1/jobs")).status).toBe(401);
  expect((await ask("/lockstep/api/v1/events")).status).toBe(401);
  expect((await ask("/app/people", { headers: { origin: "http://evil.example" } })).status).toBe(403);
  expect((await post("/app/token?person=nobody")).status).toBe(404);
  expect((await post(`/app/jobs?person=${ada}`, { type: "send_sms" })).status).toBe(422);
});

test("where registration is closed nobody registers", async () => {
  const closed = new DailyBriefApp(
    readDailyBriefConfig({ DAILY_BRIEF_REGISTRATION: "closed" }),
    async () => db.url,
  );
  const server = await listen(briefServer({ engine, app: closed }), { port: 0 });
  onTestFinished(async () => {
    await server.stop();
    await closed.close();
  });
  expect(await (await fetch(`${server.url}/app/people`)).json()).toMatchObject({ registers: false });
  const body = JSON.stringify({ name: "Eve", email: "eve@example.com", timeZone: "UTC" });
  for (const path of ["/register", "/register/confirm"])
    expect((await fetch(`${server.url}/app${path}`, { method: "POST", body })).status).toBe(404);
  expect(await db.query("select from daily_brief.registrations")).toEqual([]);
});

test("the page and the statistics are served", async () => {
  expect(await (await ask("/")).text()).toContain("Brief me now");
  expect((await ask("/page.js")).headers.get("content-type")).toContain("text/javascript");
  expect(await (await ask("/app/stats")).text()).toMatch(/^📊 Queue Statistics:\n {3}\w+ - \w+: \d/);
});
