import { listen } from "@lockstep/server";
import { StreamReader, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { notificationOf } from "../page/notification-of.ts";
import { briefServer, newTokenSecret } from "./brief-server.ts";
import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";
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

async function streamOf(person: string): Promise<StreamReader> {
  const { token } = (await (await post(`/app/token?person=${person}`)).json()) as { token: string };
  return new StreamReader(
    await ask(`/lockstep/api/v1/events?${new URLSearchParams({ token, after: "start" })}`),
  );
}

test("who was away sees what was missed, with the payloads of the seed, and nothing of anybody else", async () => {
  expect((await post(`/app/jobs?person=${ada}`, { type: "generate_daily_brief" })).status).toBe(200);
  expect(
    (await post(`/app/jobs?person=${ada}`, { type: "generate_phases", projectId: "engine" })).status,
  ).toBe(200);
  expect(
    (await post(`/app/jobs?person=${ada}`, { type: "generate_phases", projectId: "compiler" })).status,
  ).toBe(404);
  await post(`/app/jobs?person=${grace}`, { type: "generate_phases", projectId: "compiler" });

  // Ada's page is opened only now.
  const stream = await streamOf(ada);
  const told = new Map<string, unknown>();
  const owners = new Set<unknown>();
  while (told.size < 2) {
    const { data } = await stream.nextOf("job");
    owners.add((data as { owner: string }).owner);
    const notification = notificationOf(data as Parameters<typeof notificationOf>[0]);
    if (notification !== null) told.set(notification.event, notification.payload);
  }
  await stream.close();
  expect(told.get("phases_completed")).toEqual({ projectId: "engine", phaseCount: 2 });
  expect(told.get("brief_completed")).toMatchObject({ timezone: "Europe/London" });
  expect([...owners]).toEqual([ada]);

  const { briefs, messages } = (await (await ask(`/app/person?person=${ada}`)).json()) as {
    briefs: unknown[];
    messages: { kind: string; state: string }[];
  };
  expect(briefs).toHaveLength(1);
  expect(messages.map(({ kind }) => kind)).toContain("email");
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

test("the page and the statistics are served", async () => {
  expect(await (await ask("/")).text()).toContain("Brief me now");
  expect((await ask("/page.js")).headers.get("content-type")).toContain("text/javascript");
  expect(await (await ask("/app/stats")).text()).toMatch(/^📊 Queue Statistics:\n {3}\w+ - \w+: \d/);
});
