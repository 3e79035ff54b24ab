// The page of the daily brief in a real browser, with two people at it. In real time.
import { randomUUID } from "node:crypto";
import { type Listening, listen } from "@lockstep/server";
import { axeFindings, testDatabase } from "@lockstep/test-support";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { createEngine, type Engine } from "lockstep";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { briefServer, newTokenSecret } from "../../apps/daily-brief/src/brief-server.ts";
import { DailyBriefApp } from "../../apps/daily-brief/src/daily-brief-app.ts";
import { readDailyBriefConfig } from "../../apps/daily-brief/src/daily-brief-config.ts";
import * as people from "../../apps/daily-brief/src/test-support/example-people.ts";
import { type MailServer, startMailServer } from "../../apps/daily-brief/src/test-support/mail-server.ts";
import { describeInBrowser, seen } from "./browser.ts";
import { launchChromium } from "./chromium.ts";

const db = testDatabase();
let app: DailyBriefApp;
let mail: MailServer;
let engine: Engine;
let listening: Listening;
let browser: Browser;
const complaints: string[] = [];

describeInBrowser("daily brief", () => {
  beforeAll(async () => {
    // Mail has a provider, SMS has none.
    mail = await startMailServer();
    const config = readDailyBriefConfig({ SMTP_URL: mail.url, MAIL_FROM: "brief@example.com" });
    app = new DailyBriefApp(config, async () => db.url, { withExamples: true });
    const pipelines = Object.values(app.pipelines);
    engine = createEngine({ databaseUrl: db.url, pipelines, logger: null, tokenSecret: newTokenSecret() });
    app.addWith(engine);
    await app.database.prepare();
    await engine.start();
    listening = await listen(briefServer({ engine, app }), { port: 0 });
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await listening?.stop();
    await engine?.stop();
    await app?.close();
    await mail?.stop();
  });

  test("two people have bell, toasts and outbox of their own, and find what they missed", async () => {
    const [adas, graces] = [await aPerson(), await aPerson()];
    const ada = await open(adas, people.ada);
    const grace = await open(graces, people.grace);

    await ada.getByRole("button", { name: "Brief me now" }).click();
    await seen(ada.getByRole("status").getByText("Your brief was mailed to you.")).toBeVisible();
    await seen(
      ada.getByRole("heading", { name: /^Good \w+, Ada Lovelace: 1 task due today$/ }),
    ).toBeVisible();
    await seen(ada.getByRole("button", { name: "Notifications, 2 new" })).toBeVisible();
    await seen(ada.locator(".message")).toHaveCount(2);
    await seen(ada.getByText("+15550101, kept in the outbox (no SMS provider), ")).toBeVisible();
    await ada.getByText("ada@example.com, sent").click();
    const due = "- Write down the goal \\(Analytical engine, due \\d+ [A-Z][a-z]+ \\d{4}\\)";
    await seen(ada.getByText(new RegExp(due))).toBeVisible();
    expect(mail.mails).toMatchObject([{ to: "ada@example.com", text: expect.stringMatching(due) }]);
    await ada.getByRole("button", { name: /Notifications/ }).click();
    await seen(ada.locator("#bell-list li")).toHaveText([/mailed to you/, /is ready/]);
    await seen(ada.getByRole("button", { name: "Notifications", exact: true })).toBeVisible();
    await ada.keyboard.press("Escape");
    await seen(ada.locator("#bell-list")).toBeHidden();
    expect(await found(ada)).toEqual([]);
    await ada.close();

    const ofNobody = { personId: "nobody", briefDate: "2026-03-02", timezone: "UTC" };
    await engine.add(app.pipelines.generateDailyBrief, ofNobody, { owner: people.grace });
    await seen(grace.getByRole("status").getByText(/could not be written: There is no person/)).toBeVisible();

    const trouble = grace.locator("#troubles article", { hasText: 'There is no person "nobody".' });
    await seen(trouble).toContainText("tried once");
    await trouble.getByRole("button", { name: "Try again" }).click();
    await seen(grace.getByRole("button", { name: "Notifications, 2 new" })).toBeVisible();

    const payload = { projectId: "engine" };
    const { id } = await engine.add(app.pipelines.generatePhases, payload, { owner: people.ada });
    await engine.result(id);
    const back = await open(adas, people.ada);
    await seen(back.getByText("One notification came while you were away.")).toBeVisible();
    await seen(back.getByRole("button", { name: "Notifications, 1 new" })).toBeVisible();
    await seen(back.getByRole("list", { name: "Phases" })).toBeVisible();

    await seen(grace.locator("#bell-list li")).toHaveText([/could not be written/, /could not be written/]);
    await seen(back.getByText("Nothing is being retried, and nothing has failed.")).toBeVisible();
    await seen(grace.locator(".message")).toHaveCount(0);
    expect(complaints).toEqual([]);
  });

  test("what somebody has opened or begun to press stays while the page is drawn anew", async () => {
    const [first, second] = [await anSms("Good morning"), await anSms("Good night")];
    const page = await open(await aPerson(), people.kateryna);
    const summary = (text: string) => page.locator(".message summary", { hasText: text });
    const body = (text: string) => page.locator(".message pre", { hasText: text });
    await summary("Good morning").click();
    await seen(body("Good morning")).toBeVisible();
    await summary("Good night").hover();
    await page.mouse.down();
    await app.outbox.markDone(first, "provider's id");
    await drawnAnew();
    await seen(summary("Good morning")).toContainText(", sent");
    await page.mouse.up();
    await seen(body("Good night")).toBeVisible();
    await seen(body("Good morning")).toBeVisible();

    await app.outbox.giveBack(second);
    await anSms("Good day");
    await drawnAnew();
    await seen(page.locator(".message .subject")).toHaveText(["Good day", "Good morning"]);
    await seen(body("Good morning")).toBeVisible();
    await seen(body("Good day")).toBeHidden();
    expect(complaints).toEqual([]);
  });

  test("somebody signs in by the link in a mail, sees their own day, and signs out", async () => {
    const url = await signInServer();
    const context = await aPerson();
    const first = await context.newPage();
    await first.goto(url);
    await first.getByLabel("Your mail address").fill("grace@example.com");
    await seen(first.getByRole("button", { name: "Brief me now" })).toBeHidden();
    const before = mail.mails.length;
    await first.getByRole("button", { name: "Mail me a link" }).click();
    await seen(first.getByText("If somebody has this address, a link is on its way to it.")).toBeVisible();
    expect(await found(first)).toEqual([]);
    await mail.received(before + 1);
    const link = /http:\S+/.exec(mail.mails[before]?.text ?? "")?.[0] ?? "";

    const page = await context.newPage();
    await page.goto(link);
    await seen(page.getByText("live", { exact: true })).toBeVisible();
    await seen(page.getByLabel("Person").locator("option")).toHaveText(["Grace Hopper"]);
    await seen(page.getByRole("heading", { name: "Compiler" })).toBeVisible();
    expect(page.url()).not.toContain("sign-in");
    await page.getByRole("button", { name: "Sign out" }).click();
    await seen(page.getByRole("button", { name: "Mail me a link" })).toBeVisible();
    await page.goto(link);
    await seen(page.getByText("This link was used already, or is over. Ask for a new one.")).toBeVisible();
  });
});

/** A second server, at which people sign in. */
async function signInServer(): Promise<string> {
  const env = { SMTP_URL: mail.url, MAIL_FROM: "brief@example.com", DAILY_BRIEF_SIGN_IN: "mail" };
  const signInApp = new DailyBriefApp(readDailyBriefConfig(env), async () => db.url);
  const server = await listen(briefServer({ engine, app: signInApp }), { port: 0 });
  onTestFinished(async () => {
    await server.stop();
    await signInApp.close();
  });
  return server.url;
}

/** On its way to Kateryna. */
async function anSms(body: string): Promise<string> {
  const jobId = randomUUID();
  const ofIt = { kind: "sms", recipient: "+15550103", subject: null, trackingId: randomUUID() } as const;
  await app.outbox.take({ ...ofIt, jobId, personId: people.kateryna, body }, 10);
  return jobId;
}

/** By the end of a job of hers that says nothing. */
async function drawnAnew(): Promise<void> {
  const never = new Date(Date.now() + 3_600_000);
  const payload = { projectId: "none" };
  const options = { owner: people.kateryna, scheduledFor: never };
  const { id } = await engine.add(app.pipelines.generatePhases, payload, options);
  await engine.cancel(id);
}

/** A browser of one's own. */
async function aPerson(): Promise<BrowserContext> {
  return await browser.newContext({ viewport: { width: 1_280, height: 800 }, reducedMotion: "reduce" });
}

async function open(context: BrowserContext, person: string): Promise<Page> {
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  await page.goto(`${listening.url}/?person=${person}`);
  await seen(page.getByText("live", { exact: true })).toBeVisible();
  return page;
}

/** What axe finds, light and dark, and whether a narrow screen has to be pushed sideways. */
async function found(page: Page): Promise<string[]> {
  const findings: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    findings.push(...(await axeFindings(page, colorScheme)));
  }
  await page.setViewportSize({ width: 320, height: 800 });
  const beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  if (Number(await page.evaluate(beyond)) > 0) findings.push("the page is wider than a narrow screen");
  return findings;
}
