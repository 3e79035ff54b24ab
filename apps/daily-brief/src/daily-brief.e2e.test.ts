import { createTestEngine, type TestEngine } from "@lockstep/testing";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";
import { notificationOf } from "./services/notification-of.ts";
import { givenPeople } from "./test-support/brief-people.ts";
import { type MailServer, startMailServer } from "./test-support/mail-server.ts";
import { type ProviderServer, startProviderServer } from "./test-support/provider-server.ts";
import { simulateWeek } from "./test-support/simulated-week.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const minutes = 60_000;
const date = { briefDate: "2026-03-02", timezone: "UTC" };
let mail: MailServer;
let provider: ProviderServer;
let tested: TestEngine;
let app: DailyBriefApp;
let people = 0;

beforeAll(async () => {
  [mail, provider] = await Promise.all([startMailServer(), startProviderServer()]);
  const config = readDailyBriefConfig({
    SMTP_URL: mail.url,
    MAIL_FROM: "brief@example.com",
    TWILIO_ACCOUNT_SID: "AC1",
    TWILIO_AUTH_TOKEN: "secret",
    TWILIO_FROM: "+15550100",
    TWILIO_BASE_URL: provider.url,
    MODEL_BASE_URL: `${provider.url}/v1`,
    MODEL_API_KEY: "key",
    DAILY_BRIEF_SMS_PER_DAY: "2",
  });
  app = new DailyBriefApp(config, async () => tested.databaseUrl);
  tested = await createTestEngine({
    pipelines: Object.values(app.pipelines),
    databaseUrl: inject("serverUrl"),
    startAt: new Date("2026-03-02T07:00:00Z"),
    handlerLimitMs: 20_000,
  });
  app.addWith(tested.engine);
  await app.database.prepare();
  // Here, where there is time: large clients, which the first model call and the first SMS would load.
  await Promise.all([import("./services/ask-model.ts"), import("./services/twilio-http-client.ts")]);
});

beforeEach(() => {
  mail.refuse = () => null;
  provider.onSms = () => null;
  provider.onQuestion = () => null;
  provider.sms.length = 0;
  provider.asked.length = 0;
});

afterAll(async () => {
  await app.close();
  await tested.stop();
  await Promise.all([mail.stop(), provider.stop()]);
});

async function aPerson(): Promise<string> {
  people += 1;
  const id = `person-${people}`;
  await givenPeople(tested.databaseUrl, [{ id, wantsSms: true, phone: `+1555020${people}` }]);
  return id;
}

const addBrief = (personId: string) =>
  tested.add(app.pipelines.generateDailyBrief, { personId, ...date }, { owner: personId });

/** How long each try but the first came after the end of the one before. A claim from a budget counts the moments that it waits for it. */
function waitsMs(attempts: readonly { claimedAt: Date; endedAt: Date | null }[]): number[] {
  return attempts
    .slice(1)
    .map(({ claimedAt }, index) => wholeSeconds(Number(claimedAt) - Number(attempts[index]?.endedAt)));
}

const wholeSeconds = (ms: number) => Math.floor(ms / 1_000) * 1_000;

/** The first of what the person's page is told. */
async function notificationsOf(personId: string, count: number): Promise<object[]> {
  const told: object[] = [];
  for await (const event of tested.engine.readEvents({ owner: personId, after: "start" })) {
    if (event.kind === "events.reset") continue;
    const notification = notificationOf(event);
    if (notification !== null) told.push({ [notification.event]: notification.payload });
    if (told.length === count) break;
  }
  return told;
}

const mailsTo = (personId: string) => mail.mails.filter(({ to }) => to === `${personId}@example.com`);

test("a brief is written by the model, stored, mailed as HTML and text, and told by SMS", async () => {
  const personId = await aPerson();
  const { id } = await addBrief(personId);
  const { result } = await tested.runToEnd(id);
  await tested.drain();

  expect(result).toEqual({ briefId: expect.any(String), ...date });
  expect(await app.briefs.briefsOf(personId)).toMatchObject([
    { headline: "A day for <patterns>", summary: "Written by the model.", focus: ["Weave"] },
  ]);
  const [sent] = mailsTo(personId);
  expect(mailsTo(personId)).toHaveLength(1);
  expect(sent).toMatchObject({ subject: "A day for <patterns>", text: expect.stringContaining("- Weave") });
  expect(sent?.text).toContain(`Your brief of 2 March 2026, ${personId}.`);
  expect((await app.outbox.messagesOf(personId)).map(({ state }) => state)).toEqual(["sent", "sent"]);
  expect(sent?.html).toContain("<h1>A day for &#60;patterns&#62;</h1>");
  expect(provider.sms).toMatchObject([{ to: "+15550201", from: "+15550100", body: "A day for <patterns>" }]);
  const messages = await app.outbox.messagesOf(personId);
  const tracked = messages.find(({ kind }) => kind === "email");
  expect(sent?.messageId).toBe(`<${tracked?.trackingId}@example.com>`);

  const [page] = await tested.engine.list({ pipeline: "generate_brief_email", limit: 1 });
  expect(page?.status).toBe("completed");
  expect(await notificationsOf(personId, 2)).toEqual([
    { brief_completed: result },
    {
      brief_email_sent: {
        emailId: sent?.messageId,
        briefId: result?.briefId,
        trackingId: tracked?.trackingId,
      },
    },
  ]);
});

test("a second job of the same person and day keeps the first brief and sends nothing", async () => {
  const personId = await aPerson();
  const first = await tested.runToEnd((await addBrief(personId)).id);
  await tested.drain();
  const second = await tested.runToEnd((await addBrief(personId)).id);
  await tested.drain();
  expect(second.result).toEqual(first.result);
  expect(mailsTo(personId)).toHaveLength(1);
  expect(provider.sms).toHaveLength(1);
});

test("a model that fails is asked again after 2, 4 and 8 minutes, under one key, and what it wrote is kept", async () => {
  const personId = await aPerson();
  provider.onQuestion = () => (provider.asked.length < 4 ? { status: 500 } : null);
  const startedAt = tested.clock.now().getTime();
  const { id } = await addBrief(personId);
  const job = await tested.runToEnd(id);
  const waits = job.attempts.map(({ claimedAt }) => wholeSeconds(claimedAt.getTime() - startedAt) / minutes);
  expect(waits.slice(0, 4)).toEqual([0, 2, 6, 14]);
  expect(job.status).toBe("completed");
  await tested.drain();
  expect(new Set(provider.asked).size).toBe(1);
});

test("a 429 of a provider or of the model is waited out as long as it says", async () => {
  const personId = await aPerson();
  let calls = 0;
  const busy = () => {
    calls += 1;
    return calls === 1 ? { status: 429, headers: { "retry-after": "1234" } } : null;
  };
  provider.onSms = busy;
  const sms = await tested.add(app.pipelines.sendSms, { personId, message: "Good morning" });
  const { attempts } = await tested.runToEnd(sms.id);
  expect(waitsMs(attempts)).toEqual([1_234_000]);

  calls = 0;
  provider.onQuestion = busy;
  const profile = await tested.add(app.pipelines.onboardingAnalysis, { personId, text: "I weave." });
  expect(waitsMs((await tested.runToEnd(profile.id)).attempts)).toEqual([1_234_000]);
});

test("a model that refuses the key is asked once, and the person is told that there is no brief", async () => {
  const personId = await aPerson();
  provider.onQuestion = () => ({ status: 401, body: { error: { message: "no such key" } } });
  const job = await addBrief(personId);
  const { status, attempts, errors } = await tested.runToEnd(job.id);
  expect([status, attempts.length]).toEqual(["failed", 1]);
  const [told] = await notificationsOf(personId, 1);
  expect(told).toEqual({ brief_failed: { error: errors[0]?.message, jobId: job.id } });
  expect(errors[0]?.message).toContain("The model answered about the brief with 401: no such key");
});

test("a blocked number, a bad address and wrong metadata fail at once", async () => {
  const personId = await aPerson();
  provider.onSms = () => ({ status: 400, body: { code: 21_610, message: "unsubscribed recipient" } });
  mail.refuse = () => 550;
  const sms = await tested.runToEnd(
    (await tested.add(app.pipelines.sendSms, { personId, message: "Hello" })).id,
  );
  expect(sms).toMatchObject({ status: "failed", attempt: 1 });
  expect(sms.errors[0]?.message).toBe("The provider answered with 400: unsubscribed recipient (code 21610)");

  const brief = await addBrief(personId);
  const { result } = await tested.runToEnd(brief.id);
  await tested.drain();
  const [email] = await tested.engine.list({ pipeline: "generate_brief_email", limit: 1 });
  expect(email).toMatchObject({ status: "failed", attempt: 1 });
  expect(mailsTo(personId)).toHaveLength(0);

  const wrong = { personId, briefId: "no uuid" };
  await expect(tested.add(app.pipelines.generateBriefEmail, wrong)).rejects.toThrow("briefId");
  const [unchecked] = await app.database.rows<{ id: typeof brief.id }>(
    "select daily_brief.add_queue_job(gen_random_uuid(), 'generate_brief_email', $1) as id",
    [JSON.stringify(wrong)],
  );
  const refused = await tested.runToEnd(unchecked?.id ?? brief.id);
  expect(refused).toMatchObject({ status: "failed", attempt: 1 });
  const other = await aPerson();
  const foreign = await tested.add(app.pipelines.generateBriefEmail, {
    personId: other,
    briefId: result?.briefId ?? "",
  });
  expect((await tested.runToEnd(foreign.id)).errors[0]?.message).toContain(`${other} has no brief`);
});

test("an SMS whose answer was lost is looked up, and not sent again", async () => {
  const personId = await aPerson();
  provider.onSms = () => "cut";
  // That of yesterday, in the same words, is not the one that is looked for.
  const yesterday = new Date(Date.now() - 86_400_000).toUTCString();
  const older = { to: `+1555020${people}`, from: "+15550100", body: "Only once", sid: "SM0" };
  provider.sms.push({ ...older, date_created: yesterday });
  const { id } = await tested.add(app.pipelines.sendSms, { personId, message: "Only once" });
  const job = await tested.runToEnd(id);
  expect(job).toMatchObject({ status: "completed", result: { smsId: "SM2" } });
  expect(job.attempts).toHaveLength(2);
  expect(provider.sms).toHaveLength(2);
});

test("a model and then providers that are away for an hour lose nothing and send nothing twice", async () => {
  const personId = await aPerson();
  const startMs = tested.clock.now().getTime();
  const isBefore = (minute: number) => tested.clock.now().getTime() < startMs + minute * minutes;
  provider.onQuestion = () => (isBefore(60) ? { status: 503 } : null);
  mail.refuse = () => (isBefore(120) ? 421 : null);
  provider.onSms = () => (isBefore(120) ? { status: 503 } : null);
  const { id } = await addBrief(personId);
  const { status, attempts } = await tested.runToEnd(id);
  expect([status, attempts.filter(({ stage }) => stage === "write").length]).toEqual(["completed", 6]);
  await tested.drain();
  expect(mailsTo(personId)).toHaveLength(1);
  expect(provider.sms).toHaveLength(1);
  // Asked again and again after 2, 4, 8, 16 and 32 minutes: each is back within its hour and those two.
  expect(tested.clock.now().getTime()).toBe(startMs + 124 * minutes);
});

test("a job is cancelled while it waits, and while its model never answers, which is hung up on", async () => {
  const personId = await aPerson();
  provider.onQuestion = () => "hang";
  const { id } = await addBrief(personId);
  const running = tested.runToEnd(id);
  await expect.poll(() => provider.asked.length, { timeout: 10_000 }).toBe(1);
  expect(await tested.engine.cancel(id)).toBe("cancel_requested");
  expect((await running).status).toBe("cancelled");
  await expect.poll(() => provider.hungUp, soon).toBe(1);

  const waiting = await addBrief(personId);
  expect(await tested.engine.cancel(waiting.id)).toBe("cancelled");
  expect(await tested.runDue()).toBe(0);
  expect(provider.asked).toHaveLength(1);
});

test("phases and a profile are written and kept, and no day brings more SMS than it may", async () => {
  const personId = await aPerson();
  const phases = await tested.add(app.pipelines.generatePhases, {
    projectId: `of ${personId}`,
    phaseCount: 2,
  });
  expect((await tested.runToEnd(phases.id)).result).toEqual({
    projectId: `of ${personId}`,
    projectName: "Loom",
    phaseCount: 2,
  });
  const profile = await tested.add(app.pipelines.onboardingAnalysis, { personId, text: "I weave." });
  expect((await tested.runToEnd(profile.id)).result).toEqual({ personId, interests: ["looms"] });

  const ends: string[] = [];
  for (const message of ["one", "two", "three"]) {
    ends.push(
      (await tested.runToEnd((await tested.add(app.pipelines.sendSms, { personId, message })).id)).status,
    );
  }
  expect(ends).toEqual(["completed", "completed", "failed"]);
});

test("clocks that go forward in Europe and back in Sydney give everybody one brief a day", {
  timeout: 120_000,
}, async () => {
  // Berlin, Sydney, Auckland, London and New York, at 02:30. `npm run prove` has 500 people in twelve zones and the week.
  const { problems, ...counts } = await simulateWeek({
    people: 5,
    spans: [
      { startAt: new Date("2026-03-28T13:00:00Z"), endAt: new Date("2026-03-29T07:00:00Z") },
      { startAt: new Date("2026-04-04T13:00:00Z"), endAt: new Date("2026-04-04T17:30:00Z") },
    ],
    workers: 2,
    serverUrl: inject("serverUrl"),
  });
  expect(problems).toEqual([]);
  expect(counts).toMatchObject({ briefs: 7, mails: 7, sms: 2 });
});

test("each person has tokens for a day: who has used them up waits until midnight, and the others do not", async () => {
  const [personId, otherId] = [await aPerson(), await aPerson()];
  const name = "daily-brief-tokens";
  await tested.engine.setBudgetLimit(name, 15_010, { scope: personId, by: "test" });
  await tested.runToEnd((await addBrief(personId)).id);
  expect(await tested.engine.budgetUsage(name, { scope: personId })).toMatchObject([
    { spent: 15, limit: 15_010 },
  ]);
  const text = { personId, text: "I weave." };
  const { id } = await tested.add(app.pipelines.onboardingAnalysis, text, { owner: personId });
  await tested.runDue();
  expect((await tested.engine.explain(id)).map(({ reason }) => reason)).toContain("budget");
  await tested.runToEnd((await addBrief(otherId)).id);
  const { status, attempts } = await tested.runToEnd(id);
  expect([status, attempts[0]?.claimedAt.toISOString().slice(11, 19)]).toEqual(["completed", "00:00:00"]);
});
