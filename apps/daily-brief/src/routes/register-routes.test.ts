import { testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BriefSite, startBriefSite } from "../test-support/brief-site.ts";
import { grace } from "../test-support/example-people.ts";
import { Visitor } from "../test-support/visitor.ts";

const db = testDatabase();
const mary = { name: "Mary Somerville", email: "mary@example.com", timeZone: "Europe/London" };
let site: BriefSite;

beforeAll(async () => {
  site = await startBriefSite(db.url, { DAILY_BRIEF_SIGN_IN: "mail" });
});
afterAll(() => site.stop());

test("who registers is mailed a link that makes them a person, once, signed in and with a brief every morning", async () => {
  const visitor = new Visitor(site);
  const token = await visitor.register(mary.email);
  expect(site.mail.mails[0]).toMatchObject({
    ...{ to: mary.email, subject: "Confirm your address for the daily brief" },
    // What a stranger typed is not mailed to somebody else.
    text: expect.not.stringContaining("Somerville"),
  });
  expect(await db.query("select from daily_brief.people where email = $1", [mary.email])).toEqual([]);
  const [stored] = await db.query<{ all: string }>(
    "select json_agg(r)::text as all from daily_brief.registrations as r",
  );
  expect(stored?.all).toContain("token_hash");
  expect(stored?.all).not.toContain(token);

  const answer = await visitor.ask("POST", "/register/confirm", { token });
  expect(answer.headers.get("set-cookie")).toMatch(/; HttpOnly; SameSite=Strict$/);
  const { personId } = (await answer.json()) as { personId: string };
  expect(await visitor.json("/person")).toMatchObject({
    ...{ id: personId, ...mary, phone: null, wantsSms: false, projects: [{ name: "My tasks", tasks: [] }] },
  });
  const schedules = await site.engine.schedules({});
  expect(schedules.find(({ name }) => name === `brief:${personId}`)).toMatchObject({
    ...{ cron: "0 7 * * *", timeZone: "Europe/London" },
  });
  expect((await new Visitor(site).ask("POST", "/register/confirm", { token })).status).toBe(403);
});

test("a known address is answered as an unknown one; its mail says that nothing was changed, and signs in", async () => {
  const visitor = new Visitor(site);
  const said = async (email: string) => {
    const before = site.mail.mails.length;
    const answer = await visitor.ask("POST", "/register", { ...mary, name: "Eve", email });
    await site.mail.received(before + 1);
    return [answer.status, await answer.text(), answer.headers.get("set-cookie")];
  };
  const unknown = await said("nobody@example.com");
  expect(unknown[0]).toBe(202);
  expect(await said("Grace@Example.com")).toEqual(unknown);
  const mail = site.mail.mails.at(-1);
  expect(mail).toMatchObject({
    ...{ to: "grace@example.com", subject: "You have a daily brief already" },
    text: expect.stringMatching(/^Grace Hopper,[\s\S]*nothing was changed/),
  });
  const token = /#register=([\w-]+)/.exec(mail?.text ?? "")?.[1];
  expect((await visitor.ask("POST", "/register/confirm", { token })).status).toBe(200);
  expect(await visitor.json("/person")).toMatchObject({
    ...{ id: grace, name: "Grace Hopper", timeZone: "America/New_York", projects: [{ name: "Compiler" }] },
  });
});

test("two links of one address lead to one person", async () => {
  const [first, second] = [new Visitor(site), new Visitor(site)];
  const tokens = [await first.register("emmy@example.com"), await second.register("emmy@example.com")];
  const [one, other] = await Promise.all(tokens.map((token) => site.app.registrations.confirm(token)));
  expect(one).toEqual(expect.any(String));
  expect(other).toBe(one);
});

test("an hour has three links for an address and sixty for all, and then a link is over", async () => {
  const begin = (email: string) => site.app.registrations.begin({ ...mary, email });
  const links = await Promise.all(Array.from({ length: 6 }, () => begin("sofia@example.com")));
  const given = links.filter((link) => link !== null);
  expect(given).toHaveLength(3);
  const others = await Promise.all(Array.from({ length: 70 }, (_, index) => begin(`p${index}@example.com`)));
  expect(others.filter((link) => link !== null).length).toBeLessThan(60);
  expect(await db.query("select from daily_brief.registrations")).toHaveLength(60);
  await db.query("update daily_brief.registrations set expires_at = now() - interval '1 second'");
  expect(await site.app.registrations.confirm(given[0]?.token ?? "")).toBeNull();
  expect(await begin("sofia@example.com")).not.toBeNull();
});

test.each([
  ["no name", { ...mary, name: " \u0000 " }, "A name must have 1 to 80 characters."],
  ["no address", { ...mary, email: "mary@example.com, eve@example.com" }, "This is not a mail address."],
  ["no zone", { ...mary, timeZone: "Europe/Atlantis" }, "Choose a time zone from the list."],
])("with %s nobody registers", async (_, body, error) => {
  const answer = await new Visitor(site).ask("POST", "/register", body);
  expect(answer.status).toBe(422);
  expect(await answer.json()).toMatchObject({ error });
});
