import { createTestEngine, type TestEngine } from "@lockstep/testing";
import { afterAll, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { notificationOf } from "../page/notification-of.js";
import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";
import { givenPeople } from "./test-support/brief-people.ts";
import { type MailServer, startMailServer } from "./test-support/mail-server.ts";
import { type ProviderServer, startProviderServer } from "./test-support/provider-server.ts";

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
    // The first one loads the clients of the model and of Twilio.
    handlerLimitMs: 60_000,
  });
  app.addWith(tested.engine);
  await app.database.prepare();
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

const mailsTo = (personId: string) => mail.mails.filter(({ to }) => to === `${personId}@example.com`);

test("a brief is written by the model, stored, mailed as HTML and text, and told by SMS", async () => {
  const personId = await aPerson();
  const { id } = await tested.add(
    app.pipelines.generateDailyBrief,
    { personId, ...date },
    { owner: personId },
  );
  const { result } = await tested.runToEnd(id);
  await tested.drain();

  expect(result).toEqual({ briefId: expect.any(String), ...date });
  expect(await app.briefs.briefsOf(personId)).toMatchObject([
    { headline: "A day for <patterns>", summary: "Written by the model.", focus: ["Weave"] },
  ]);
  const [sent] = mailsTo(personId);
  expect(mailsTo(personId)).toHaveLength(1);
  expect(sent).toMatchObject({ subject: "A day for <patterns>", text: expect.stringContaining("- Weave") });
  expect(sent?.html).toContain("<h1>A day for &#60;patterns&#62;</h1>");
  expect(provider.sms).toMatchObject([{ to: "+15550201", from: "+15550100", body: "A day for <patterns>" }]);
  const messages = await app.outbox.messagesOf(personId);
  const tracked = messages.find(({ kind }) => kind === "email");
  expect(sent?.messageId).toBe(`<${tracked?.trackingId}@example.com>`);

  const [page] = await tested.engine.list({ pipeline: "generate_brief_email", limit: 1 });
  const events: unknown[] = [];
  for await (const event of tested.engine.readEvents({ owner: personId, after: "start" })) {
    if (event.kind === "events.pruned") continue;
    const told = notificationOf(event as Parameters<typeof notificationOf>[0]);
    if (told !== null) events.push({ [told.event]: told.payload });
    if (events.length === 2) break;
  }
  expect(page?.status).toBe("completed");
  expect(events).toEqual([
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
  const add = () => tested.add(app.pipelines.generateDailyBrief, { personId, ...date }, { owner: personId });
  const first = await tested.runToEnd((await add()).id);
  await tested.drain();
  const second = await tested.runToEnd((await add()).id);
  await tested.drain();
  expect(second.result).toEqual(first.result);
  expect(mailsTo(personId)).toHaveLength(1);
  expect(provider.sms).toHaveLength(1);
});

test("a model that fails is asked again after 2, 4 and 8 minutes, under one key, and what it wrote is kept", async () => {
  const personId = await aPerson();
  provider.onQuestion = () => (provider.asked.length < 4 ? { status: 500 } : null);
  const startedAt = tested.clock.now().getTime();
  const { id } = await tested.add(
    app.pipelines.generateDailyBrief,
    { personId, ...date },
    { owner: personId },
  );
  const job = await tested.runToEnd(id);
  const waits = job.attempts.map(({ claimedAt }) => (claimedAt.getTime() - startedAt) / minutes);
  expect(waits.slice(0, 4)).toEqual([0, 2, 6, 14]);
  expect(job.status).toBe("completed");
  await tested.drain();
  expect(new Set(provider.asked).size).toBe(1);
});

test("a provider's 429 is waited out as long as it says", async () => {
  const personId = await aPerson();
  let calls = 0;
  provider.onSms = () => {
    calls += 1;
    return calls === 1 ? { status: 429, headers: { "retry-after": "1234" } } : null;
  };
  const { id } = await tested.add(app.pipelines.sendSms, { personId, message: "Good morning" });
  const { attempts } = await tested.runToEnd(id);
  expect(attempts).toHaveLength(2);
  expect(Number(attempts[1]?.claimedAt) - Number(attempts[0]?.endedAt)).toBe(1_234_000);
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

  const brief = await tested.add(
    app.pipelines.generateDailyBrief,
    { personId, ...date },
    { owner: personId },
  );
  const { result } = await tested.runToEnd(brief.id);
  await tested.drain();
  const [email] = await tested.engine.list({ pipeline: "generate_brief_email", limit: 1 });
  expect(email).toMatchObject({ status: "failed", attempt: 1 });
  expect(mailsTo(personId)).toHaveLength(0);

  const wrong = { personId, briefId: "no uuid" };
  await expect(tested.add(app.pipelines.generateBriefEmail, wrong)).rejects.toThrow("briefId");
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

test("providers that are away for an hour lose nothing and send nothing twice", async () => {
  const personId = await aPerson();
  const backAt = tested.clock.now().getTime() + 60 * minutes;
  const isAway = () => tested.clock.now().getTime() < backAt;
  mail.refuse = () => (isAway() ? 421 : null);
  provider.onSms = () => (isAway() ? { status: 503 } : null);
  const { id } = await tested.add(
    app.pipelines.generateDailyBrief,
    { personId, ...date },
    { owner: personId },
  );
  expect((await tested.runToEnd(id)).status).toBe("completed");
  await tested.drain();
  expect(mailsTo(personId)).toHaveLength(1);
  expect(provider.sms).toHaveLength(1);
  expect(tested.clock.now().getTime()).toBe(backAt + 2 * minutes);
});

test("cancelling a job whose model never answers hangs up on the model", async () => {
  const personId = await aPerson();
  provider.onQuestion = () => "hang";
  const { id } = await tested.add(
    app.pipelines.generateDailyBrief,
    { personId, ...date },
    { owner: personId },
  );
  const running = tested.runToEnd(id);
  await expect.poll(() => provider.asked.length, { timeout: 10_000 }).toBe(1);
  expect(await tested.engine.cancel(id)).toBe("cancel_requested");
  expect((await running).status).toBe("cancelled");
  await expect.poll(() => provider.hungUp).toBe(1);
});

test("phases and a profile are written and kept, and no day brings more SMS than it may", async () => {
  const personId = await aPerson();
  const phases = await tested.add(app.pipelines.generatePhases, {
    projectId: `of ${personId}`,
    phaseCount: 2,
  });
  expect((await tested.runToEnd(phases.id)).result).toEqual({ projectId: `of ${personId}`, phaseCount: 2 });
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
