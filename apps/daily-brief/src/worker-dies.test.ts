// In real time: a lease ends by PostgreSQL's clock, and only a real process can be killed.
import { childProgram, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";
import { givenPeople } from "./test-support/brief-people.ts";
import { type MailServer, startMailServer } from "./test-support/mail-server.ts";
import { type ProviderServer, startProviderServer } from "./test-support/provider-server.ts";

const db = testDatabase();
const date = { briefDate: "2026-03-02", timezone: "UTC" };
let mail: MailServer;
let provider: ProviderServer;
let app: DailyBriefApp;
let client: ReturnType<typeof createEngine>;
let env: Record<string, string>;

beforeAll(async () => {
  [mail, provider] = await Promise.all([startMailServer(), startProviderServer()]);
  env = {
    ...{ DATABASE_URL: db.url, SMTP_URL: mail.url, MAIL_FROM: "brief@example.com" },
    ...{ TWILIO_ACCOUNT_SID: "AC1", TWILIO_AUTH_TOKEN: "secret", TWILIO_FROM: "+15550100" },
    TWILIO_BASE_URL: provider.url,
  };
  app = new DailyBriefApp(readDailyBriefConfig(env), async () => db.url);
  client = createEngine({ databaseUrl: db.url, pipelines: Object.values(app.pipelines), logger: null });
  await app.database.prepare();
});

afterAll(async () => {
  await client.stop();
  await app.close();
  await Promise.all([mail.stop(), provider.stop()]);
  expect(await db.call("verify")).toEqual([]);
});

/** A worker in a process of its own, with the pipelines as any process finds them. */
async function aWorker() {
  const program = childProgram(
    `
    const { createEngine } = await import("lockstep");
    const { dailyBrief } = await import(${JSON.stringify(new URL("./pipelines.ts", import.meta.url).href)});
    const engine = createEngine({
      databaseUrl: process.env.DATABASE_URL, pipelines: dailyBrief, logger: null,
      leaseMs: 60_000, heartbeatIntervalMs: 800, leaseMarginMs: 500,
    });
    process.on("SIGTERM", () => engine.stop().then(() => process.exit(0)));
    await engine.start();
    console.log("works");
    `,
    { env },
  );
  await program.nextLine();
  return program;
}

/** One in this process, which can only be stopped. */
async function aWorkerHere() {
  const own = new DailyBriefApp(readDailyBriefConfig(env), async () => db.url);
  const engine = createEngine({
    ...{ databaseUrl: db.url, pipelines: Object.values(own.pipelines), logger: null },
    sweepIntervalMs: 250,
  });
  own.addWith(engine);
  await engine.start();
  const stop = async () => {
    await engine.stop();
    await own.close();
  };
  onTestFinished(stop);
  return { stop };
}

const patient = { timeout: 90_000 };
const limit = { timeoutMs: 30_000 };

test(
  "of three workers one is killed after sending and one is stopped, and nothing is sent again or lost",
  patient,
  async () => {
    const people = Array.from({ length: 20 }, (_, index) => ({ id: `person-${index}` }));
    await givenPeople(db.url, [
      ...[{ id: "ada" }, { id: "grace" }, { id: "joan", phone: "+15550301", wantsSms: true }],
      ...people,
    ]);
    const brief = (personId: string) =>
      app.database.inTransaction((tx) =>
        app.briefs.saveBrief(tx, {
          personId,
          ...date,
          headline: "H",
          summary: "S",
          focus: [],
          writtenBy: "test",
        }),
      );
    const [ofAda, ofGrace] = await Promise.all([brief("ada"), brief("grace")]);
    const first = await aWorker();
    const warm = await client.add(app.pipelines.onboardingAnalysis, { personId: "ada", text: "I weave." });
    await client.result(warm.id, limit);

    // Between sending and completing: the ledger has both, and the jobs stop where the outbox is told.
    const lock = await db.connect();
    await lock.query(`
      create function daily_brief.wait() returns trigger language plpgsql
        as 'begin perform pg_advisory_xact_lock_shared(1); return new; end';
      create trigger wait before update of state on daily_brief.messages
        for each row execute function daily_brief.wait();
      select pg_advisory_lock(1);
    `);
    const sent = await client.add(app.pipelines.generateBriefEmail, { personId: "ada", briefId: ofAda.id });
    const texted = await client.add(app.pipelines.sendSms, { personId: "joan", message: "Once" });
    for (const { id } of [sent, texted]) {
      await expect.poll(async () => (await client.effects(id))[0]?.state, { timeout: 30_000 }).toBe("done");
    }
    // Between the mail server's having it and its saying so.
    mail.beforeAnswer = () => new Promise(() => {});
    const doubtful = await client.add(app.pipelines.generateBriefEmail, {
      personId: "grace",
      briefId: ofGrace.id,
    });
    await mail.received(2);
    first.kill("SIGKILL");
    await first.ended;
    // What a minute would do. The length, too: a heartbeat may still be under way.
    await db.query("update lockstep.workers set lease = '1 microsecond', lease_until = clock_timestamp()");
    await lock.query("select pg_advisory_unlock(1)");
    mail.beforeAnswer = async () => {};

    const [second] = await Promise.all([aWorkerHere(), aWorkerHere()]);
    const emailId = mail.mails[0]?.messageId;
    expect(await client.result(sent.id, limit)).toMatchObject({ briefId: ofAda.id, emailId });
    expect(await client.result(texted.id, limit)).toEqual({ smsId: "SM1" });
    expect(await client.result(doubtful.id, limit)).toMatchObject({ isInDoubt: true });
    expect(mail.mails.map(({ to }) => to)).toEqual(["ada@example.com", "grace@example.com"]);
    expect(provider.sms).toHaveLength(1);

    const items = people.map(({ id }) => ({ payload: { personId: id, ...date }, owner: id }));
    const added = await client.addMany(app.pipelines.generateDailyBrief, items);
    await mail.received(3);
    await second.stop();
    for (const { id } of added) await client.result(id, limit);
    await mail.received(2 + people.length);
    const left = async () =>
      (await client.stats()).filter(({ status, jobs }) => jobs > 0 && status !== "completed");
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
    expect(new Set(mail.mails.map(({ to }) => to)).size).toBe(2 + people.length);
    expect(mail.mails).toHaveLength(2 + people.length);
  },
);
