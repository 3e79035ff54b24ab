// The page of the daily brief in a real browser, with two people at it. In real time.
import { randomUUID } from "node:crypto";
import { listen } from "@lockstep/server";
import { axeFindings, testDatabase } from "@lockstep/test-support";
import type { Browser, BrowserContext, Page } from "@playwright/test";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { briefServer } from "../../apps/daily-brief/src/brief-server.ts";
import { DailyBriefApp } from "../../apps/daily-brief/src/daily-brief-app.ts";
import { readDailyBriefConfig } from "../../apps/daily-brief/src/daily-brief-config.ts";
import { type BriefSite, startBriefSite } from "../../apps/daily-brief/src/test-support/brief-site.ts";
import * as people from "../../apps/daily-brief/src/test-support/example-people.ts";
import { describeInBrowser, seen } from "./browser.ts";
import { launchChromium } from "./chromium.ts";

const db = testDatabase();
let site: BriefSite;
let browser: Browser;
const complaints: string[] = [];

describeInBrowser("daily brief", () => {
  beforeAll(async () => {
    // Mail has a provider, SMS has none.
    site = await startBriefSite(db.url);
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await site?.stop();
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
    await ada.getByRole("link", { name: "Messages" }).click();
    await seen(ada.locator(".message")).toHaveCount(2);
    await seen(ada.getByText("+15550101, kept in the outbox (no SMS provider), ")).toBeVisible();
    await ada.getByText("ada@example.com, sent").click();
    const due = "- Write down the goal \\(Analytical engine, due \\d+ [A-Z][a-z]+ \\d{4}\\)";
    await seen(ada.getByText(new RegExp(due))).toBeVisible();
    expect(site.mail.mails).toMatchObject([{ to: "ada@example.com", text: expect.stringMatching(due) }]);
    await ada.getByRole("button", { name: /Notifications/ }).click();
    await seen(ada.locator("#bell-list li")).toHaveText([/mailed to you/, /is ready/]);
    await seen(ada.getByRole("button", { name: "Notifications", exact: true })).toBeVisible();
    await ada.keyboard.press("Escape");
    await seen(ada.locator("#bell-list")).toBeHidden();
    expect(await found(ada)).toEqual([]);
    await ada.close();

    const ofNobody = { personId: "nobody", briefDate: "2026-03-02", timezone: "UTC" };
    await site.engine.add(site.app.pipelines.generateDailyBrief, ofNobody, { owner: people.grace });
    await seen(grace.getByRole("status").getByText(/could not be written: There is no person/)).toBeVisible();

    await grace.getByRole("link", { name: "Messages 1" }).click();
    const trouble = grace.locator("#troubles article", { hasText: 'There is no person "nobody".' });
    await seen(trouble).toContainText("tried once");
    await trouble.getByRole("button", { name: "Try again" }).click();
    await seen(grace.getByRole("button", { name: "Notifications, 2 new" })).toBeVisible();

    const payload = { projectId: "engine" };
    const { id } = await site.engine.add(site.app.pipelines.generatePhases, payload, { owner: people.ada });
    await site.engine.result(id);
    const back = await open(adas, people.ada);
    await seen(back.getByText("One notification came while you were away.")).toBeVisible();
    await seen(back.getByRole("button", { name: "Notifications, 1 new" })).toBeVisible();
    await seen(back.getByRole("list", { name: "Phases" })).toBeVisible();

    await seen(grace.locator("#bell-list li")).toHaveText([/could not be written/, /could not be written/]);
    await back.getByRole("link", { name: "Messages" }).click();
    await seen(back.getByText("Nothing is being retried, and nothing has failed.")).toBeVisible();
    await seen(grace.locator(".message")).toHaveCount(0);
    expect(complaints).toEqual([]);
  });

  test("what somebody has opened or begun to press stays while the page is drawn anew", async () => {
    const [first, second] = [await anSms("Good morning"), await anSms("Good night")];
    const page = await open(await aPerson(), people.kateryna, "#/messages");
    const summary = (text: string) => page.locator(".message summary", { hasText: text });
    const body = (text: string) => page.locator(".message pre", { hasText: text });
    await summary("Good morning").click();
    await seen(body("Good morning")).toBeVisible();
    await summary("Good night").hover();
    await page.mouse.down();
    await site.app.outbox.markDone(first, "provider's id");
    await drawnAnew();
    await seen(summary("Good morning")).toContainText(", sent");
    await page.mouse.up();
    await seen(body("Good night")).toBeVisible();
    await seen(body("Good morning")).toBeVisible();

    await site.app.outbox.giveBack(second);
    await anSms("Good day");
    await drawnAnew();
    await seen(page.locator(".message .subject")).toHaveText(["Good day", "Good morning"]);
    await seen(body("Good morning")).toBeVisible();
    await seen(body("Good day")).toBeHidden();
    expect(complaints).toEqual([]);
  });

  test("somebody registers on a phone, confirms address and number, and has tasks, an hour and a brief", async () => {
    const url = await signInServer();
    const context = await aPerson({ width: 390, height: 844 });
    const first = await watched(context);
    await first.goto(url);
    await seen(first.getByRole("button", { name: "Mail me a link" })).toBeVisible();
    await seen(zones(first).locator("option", { hasText: "Europe/Kyiv" })).toHaveCount(1);
    expect(await found(first, 390)).toEqual([]);
    await field(first, "Name").fill("Mary Somerville");
    await field(first, "Mail address").fill("mary@example.com");
    await zones(first).selectOption("Asia/Kolkata");
    const link = await mailed("mary@example.com", () =>
      first.getByRole("button", { name: "Register" }).click(),
    );
    await seen(first.getByText("A mail is on its way to this address.")).toBeVisible();

    const page = await watched(context);
    await page.goto(link);
    await seen(page.getByText("live", { exact: true })).toBeVisible();
    await seen(page.locator("#signed-in")).toHaveText("Mary Somerville");
    expect(page.url()).not.toContain("register=");
    await addTask(page, "Write to Ada", "2020-01-01");
    await addTask(page, "Look at the moon");
    await seen(page.getByText("late, due 1 January 2020")).toBeVisible();
    // By keyboard: the next task has the focus when one is finished.
    await page.getByLabel("Write to Ada", { exact: true }).press("Space");
    await seen(page.getByText("Finished (1)")).toBeVisible();
    await seen(page.getByLabel("Look at the moon", { exact: true })).toBeFocused();
    await page.getByText("Finished (1)").click();
    await page.getByLabel("Write to Ada", { exact: true }).uncheck();
    await page.getByRole("button", { name: "New project" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Optics");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Edit Look at the moon" }).click();
    await dialog.getByLabel("Project").selectOption("Optics");
    await dialog.getByLabel("Task", { exact: true }).fill("Look at Saturn");
    expect(await found(page, 390)).toEqual([]);
    await dialog.getByLabel("Task", { exact: true }).press("Enter");
    await seen(
      page.locator("article", { hasText: "Optics" }).getByRole("checkbox", { name: "Look at Saturn" }),
    ).toBeVisible();

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Number, with its country").fill("+44 20 7946 0001");
    await page.getByRole("button", { name: "Send me a code" }).click();
    await seen(page.getByText("you find the code for +442079460001 in the outbox")).toBeVisible();
    await page.getByRole("link", { name: "Messages" }).click();
    const kept = page.locator(".subject", { hasText: "is the code" });
    await seen(kept).toBeVisible();
    const code = (await kept.textContent())?.slice(0, 6) ?? "";
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel("Code").fill(code === "000000" ? "000001" : "000000");
    await page.getByRole("button", { name: "Confirm" }).click();
    await seen(page.getByRole("alert")).toHaveText("This is not the code. Tries left: 4.");
    await page.getByLabel("Code").fill(code);
    await page.getByRole("button", { name: "Confirm" }).click();
    await seen(page.getByText("confirmed", { exact: true })).toBeVisible();
    await field(page, "Name").fill("Mary Fairfax");
    await page.getByLabel("Every day at").fill("06:15");
    await page.getByRole("button", { name: "Save" }).click();
    await seen(page.getByText("Saved.")).toBeVisible();
    await seen(page.getByLabel("SMS to +442079460001")).toBeChecked();
    expect(await found(page, 390)).toEqual([]);

    await page.getByRole("link", { name: "Today" }).click();
    await seen(page.getByText("It comes at 06:15 (Asia/Kolkata), or when you ask for it.")).toBeVisible();
    await page.getByRole("button", { name: "Brief me now" }).click();
    await seen(
      page.getByRole("heading", { name: /^Good \w+, Mary Fairfax: 0 tasks due today$/ }),
    ).toBeVisible();
    await seen(page.locator("#today").getByText("2 open tasks in 2 projects, 1 of them late.")).toBeVisible();
    // The one mistake that was typed, which Chromium notes as a failed request.
    expect(complaints.splice(0)).toEqual([expect.stringContaining("422")]);

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Delete my account" }).click();
    await page.getByRole("button", { name: "Delete everything" }).click();
    await seen(page.getByRole("button", { name: "Mail me a link" })).toBeVisible();
    expect(await db.query("select from daily_brief.people where email = 'mary@example.com'")).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("somebody signs in by the link in a mail, sees their own day, and signs out", async () => {
    const url = await signInServer();
    const context = await aPerson();
    const first = await context.newPage();
    await first.goto(url);
    await first.getByLabel("Your mail address").fill("grace@example.com");
    await seen(first.getByRole("button", { name: "Brief me now" })).toBeHidden();
    const link = await mailed("grace@example.com", () =>
      first.getByRole("button", { name: "Mail me a link" }).click(),
    );
    await seen(first.getByText("If somebody has this address, a link is on its way to it.")).toBeVisible();

    const page = await context.newPage();
    await page.goto(link);
    await seen(page.getByText("live", { exact: true })).toBeVisible();
    await seen(page.locator("#signed-in")).toHaveText("Grace Hopper");
    await seen(page.getByRole("heading", { name: "Compiler" })).toBeVisible();
    expect(page.url()).not.toContain("sign-in");
    await page.getByRole("button", { name: "Sign out" }).click();
    await seen(page.getByRole("button", { name: "Mail me a link" })).toBeVisible();
    await page.goto(link);
    await seen(page.getByText("This link was used already, or is over. Ask for a new one.")).toBeVisible();
  });

  test("where nothing is mailed, a visitor reads the mail on the page and follows its link", async () => {
    const url = await server({});
    const page = await watched(await aPerson());
    await page.goto(url);
    await page.getByLabel("Person").selectOption("New person…");
    await field(page, "Name").fill("Emmy Noether");
    await field(page, "Mail address").fill("emmy@example.com");
    await page.getByRole("button", { name: "Register" }).click();
    await seen(page.getByText("To emmy@example.com")).toBeVisible();
    expect(await found(page)).toEqual([]);
    await page.getByRole("link", { name: "Follow the link" }).click();
    await seen(page.getByLabel("Person").locator("option:checked")).toHaveText("Emmy Noether");
    await seen(page.getByRole("heading", { name: "My tasks" })).toBeVisible();
    expect(complaints).toEqual([]);
  });
});

/** A second server beside the first, for the same people. */
async function server(env: Record<string, string>): Promise<string> {
  const app = new DailyBriefApp(readDailyBriefConfig(env), async () => db.url);
  const listening = await listen(briefServer({ engine: site.engine, app }), { port: 0 });
  onTestFinished(async () => {
    await listening.stop();
    await app.close();
  });
  return listening.url;
}

/** One at which people sign in. */
function signInServer(): Promise<string> {
  const env = { SMTP_URL: site.mail.url, MAIL_FROM: "brief@example.com", DAILY_BRIEF_SIGN_IN: "mail" };
  return server(env);
}

/** The link in the next mail to this address. */
async function mailed(address: string, ask: () => Promise<void>): Promise<string> {
  const { mail } = site;
  const toThem = () => mail.mails.filter(({ to, text }) => to === address && /http:\S+#/.test(text));
  const before = toThem().length;
  await ask();
  while (toThem().length === before) await mail.received(mail.mails.length + 1);
  return /http:\S+/.exec(toThem()[before]?.text ?? "")?.[0] ?? "";
}

// Of those that can be seen: other screens have fields of the same name.
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const zones = (page: Page) => page.getByRole("combobox", { name: "Time zone" });

async function addTask(page: Page, title: string, dueOn = ""): Promise<void> {
  await field(page, "New task").fill(title);
  await page.locator("#new-task [name=dueOn]").fill(dueOn);
  await field(page, "New task").press("Enter");
  await seen(page.getByLabel(title, { exact: true })).toBeVisible();
}

/** On its way to Kateryna. */
async function anSms(body: string): Promise<string> {
  const jobId = randomUUID();
  const ofIt = { kind: "sms", recipient: "+15550103", subject: null, trackingId: randomUUID() } as const;
  await site.app.outbox.take({ ...ofIt, jobId, personId: people.kateryna, body }, 10);
  return jobId;
}

/** By the end of a job of hers that says nothing. */
async function drawnAnew(): Promise<void> {
  const never = new Date(Date.now() + 3_600_000);
  const payload = { projectId: "none" };
  const options = { owner: people.kateryna, scheduledFor: never };
  const { id } = await site.engine.add(site.app.pipelines.generatePhases, payload, options);
  await site.engine.cancel(id);
}

/** A browser of one's own. */
async function aPerson(viewport = { width: 1_280, height: 800 }): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport, reducedMotion: "reduce" });
  onTestFinished(() => context.close());
  return context;
}

/** A page whose complaints are collected. */
async function watched(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  return page;
}

async function open(context: BrowserContext, person: string, screen = ""): Promise<Page> {
  const page = await watched(context);
  await page.goto(`${site.listening.url}/?person=${person}${screen}`);
  await seen(page.getByText("live", { exact: true })).toBeVisible();
  return page;
}

/** What axe finds, light and dark, and whether a narrow screen has to be pushed sideways. */
async function found(page: Page, width = 320): Promise<string[]> {
  const findings: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    findings.push(...(await axeFindings(page, colorScheme)));
  }
  await page.setViewportSize({ width, height: 800 });
  const beyond = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  if (Number(await page.evaluate(beyond)) > 0) findings.push("the page is wider than a narrow screen");
  return findings;
}
