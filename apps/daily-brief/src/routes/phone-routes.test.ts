import { testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BriefSite, startBriefSite } from "../test-support/brief-site.ts";
import { type ProviderServer, startProviderServer } from "../test-support/provider-server.ts";
import { Visitor } from "../test-support/visitor.ts";

const db = testDatabase();
const patient = { timeout: 25_000 };
let provider: ProviderServer;
let site: BriefSite;

beforeAll(async () => {
  provider = await startProviderServer();
  site = await startBriefSite(db.url, {
    ...{ DAILY_BRIEF_SIGN_IN: "mail", TWILIO_BASE_URL: provider.url },
    ...{ TWILIO_ACCOUNT_SID: "AC1", TWILIO_AUTH_TOKEN: "secret", TWILIO_FROM: "+15550100" },
  });
});
afterAll(async () => {
  await site.stop();
  await provider.stop();
});

/** Asks for a code for this number, and reads the SMS. */
async function codeFor(visitor: Visitor, phone: string): Promise<string> {
  const before = provider.sms.length;
  expect((await visitor.ask("POST", "/phone", { phone })).status).toBe(202);
  await expect.poll(() => provider.sms.length, patient).toBe(before + 1);
  return /^(\d{6}) is the code/.exec(provider.sms[before]?.body ?? "")?.[1] ?? "";
}

const confirm = (visitor: Visitor, code: string) => visitor.ask("POST", "/phone/confirm", { code });
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");
const smsTo = (phone: string) => provider.sms.filter(({ to }) => to === phone).map(({ body }) => body);

test("a number gets briefs once its code has come back, and not before; the code is kept nowhere", async () => {
  const visitor = new Visitor(site);
  const personId = await visitor.join("mary@example.com");
  const code = await codeFor(visitor, "+44 (0)20 7946-0001".replace("(0)", ""));
  expect(await visitor.json("/person")).toMatchObject({ phone: null, phoneWaiting: "+442079460001" });
  const settings = { name: "Mary", timeZone: "Europe/London", briefAt: "07:00" };
  const all = { ...settings, wantsPage: true, wantsEmail: true, wantsSms: true };
  const refused = await visitor.ask("PUT", "/settings", all);
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { error: "Confirm a number first, to get SMS." },
  ]);
  // Not by the document's own call either.
  const { id } = await site.engine.add(site.app.pipelines.sendSms, { personId, message: "Good morning" });
  await expect(site.engine.result(id)).rejects.toThrow("has no number for SMS");

  expect((await confirm(visitor, otherThan(code))).status).toBe(422);
  expect((await confirm(visitor, code)).status).toBe(204);
  expect((await confirm(visitor, code)).status).toBe(410);
  expect(await visitor.json("/person")).toMatchObject({
    ...{ phone: "+442079460001", phoneWaiting: null, wantsSms: true },
  });
  await visitor.ask("POST", "/jobs", { type: "generate_daily_brief" });
  await expect.poll(() => smsTo("+442079460001"), patient).toHaveLength(2);

  const jobs = await site.engine.list({ pipeline: "confirm_phone", owner: personId, limit: 10 });
  expect(await site.engine.result(jobs[0]?.id ?? "", { timeoutMs: 25_000 })).toEqual({ isConfirmed: true });
  const told = await Promise.all(jobs.map((job) => site.engine.get(job.id)));
  const rows = await db.query(
    "select to_jsonb(m) from daily_brief.messages as m union all select to_jsonb(c) from daily_brief.phone_confirmations as c",
  );
  expect(rows.length).toBeGreaterThan(2);
  expect(JSON.stringify([rows, told])).not.toContain(code);
  expect(JSON.stringify(rows)).toContain("•••••• is the code");
});

test("after five wrong codes, or ten minutes, the right one is over", async () => {
  const visitor = new Visitor(site);
  await visitor.join("emmy@example.com");
  const code = await codeFor(visitor, "+15550111");
  const wrong = await Promise.all(Array.from({ length: 8 }, () => confirm(visitor, otherThan(code))));
  expect(wrong.map(({ status }) => status).sort()).toEqual([422, 422, 422, 422, 422, 410, 410, 410].sort());
  expect((await confirm(visitor, code)).status).toBe(410);

  const late = await codeFor(visitor, "+15550111");
  await db.query(
    "update daily_brief.phone_confirmations set code_expires_at = code_expires_at - interval '10 minutes'",
  );
  expect((await confirm(visitor, late)).status).toBe(410);
  expect(await visitor.json("/person")).toMatchObject({ phone: null });
});

test("a code that nobody sends back ends with the job's wait, and a job that was cancelled confirms nothing", async () => {
  const visitor = new Visitor(site);
  const personId = await visitor.join("grace@example.com");
  const jobsOf = async () => site.engine.list({ pipeline: "confirm_phone", owner: personId, limit: 10 });
  const waiting = async () => {
    const [job] = await jobsOf();
    await expect.poll(async () => (await site.engine.get(job?.id ?? ""))?.wait?.signal, patient).toBe("code");
    return job?.id ?? "";
  };
  await codeFor(visitor, "+15550131");
  const late = await waiting();
  await db.call("end_due_waits", { p_now: new Date(Date.now() + 601_000) });
  // A sleeping worker looks for it within a second or two.
  expect(await site.engine.result(late, { timeoutMs: 25_000 })).toEqual({ isConfirmed: false });
  expect(await visitor.json("/person")).toMatchObject({ phone: null, phoneWaiting: null });

  const code = await codeFor(visitor, "+15550132");
  await site.engine.cancel(await waiting());
  expect((await confirm(visitor, code)).status).toBe(410);
  expect(await visitor.json("/person")).toMatchObject({ phone: null });
});

test("an hour has three codes for a person and three for a number, and a new one replaces the one before", async () => {
  const [one, other] = [new Visitor(site), new Visitor(site)];
  await one.join("sofia@example.com");
  await other.join("hypatia@example.com");
  const first = await codeFor(one, "+15550121");
  const second = await codeFor(one, "+15550122");
  expect((await confirm(one, first)).status).toBe(first === second ? 204 : 422);
  const asked = await Promise.all(
    Array.from({ length: 4 }, () => one.ask("POST", "/phone", { phone: "+15550123" })),
  );
  expect(asked.map(({ status }) => status).sort()).toEqual([202, 429, 429, 429]);
  // What was refused has changed nothing.
  await expect.poll(() => smsTo("+15550123"), patient).toHaveLength(1);
  const third = /^\d{6}/.exec(smsTo("+15550123")[0] ?? "")?.[0] ?? "";
  expect((await confirm(one, third)).status).toBe(204);

  await codeFor(other, "+15550123");
  await codeFor(other, "+15550123");
  expect((await other.ask("POST", "/phone", { phone: "+15550123" })).status).toBe(429);
});

test("a number can be taken away, and SMS are switched off with it", async () => {
  const visitor = new Visitor(site);
  await visitor.join("ida@example.com");
  await confirm(visitor, await codeFor(visitor, "+15550131"));
  expect((await visitor.ask("DELETE", "/phone")).status).toBe(204);
  expect(await visitor.json("/person")).toMatchObject({ phone: null, wantsSms: false });
});

test.each(["555", "+0 555 0100", "call me", "+1555010012345678"])("%j is no number", async (phone) => {
  const visitor = new Visitor(site);
  await visitor.join(`${phone.length}@example.com`);
  expect((await visitor.ask("POST", "/phone", { phone })).status).toBe(422);
});
