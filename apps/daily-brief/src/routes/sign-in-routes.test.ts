import { StreamReader, testDatabase } from "@lockstep/test-support";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BriefSite, startBriefSite } from "../test-support/brief-site.ts";
import { ada, grace } from "../test-support/example-people.ts";

const db = testDatabase();
let site: BriefSite;

beforeAll(async () => {
  site = await startBriefSite(db.url, { DAILY_BRIEF_SIGN_IN: "mail" });
});
afterAll(() => site.stop());

const ask = (path: string, cookie = "") => fetch(`${site.listening.url}/app${path}`, { headers: { cookie } });
const post = (path: string, body: object, cookie = "") =>
  fetch(`${site.listening.url}/app${path}`, {
    method: "POST",
    headers: { cookie, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

/** The token of the next link that is mailed. */
async function linkFor(email: string): Promise<string> {
  const before = site.mail.mails.length;
  await post("/sign-in", { email });
  await site.mail.received(before + 1);
  return /#sign-in=([\w-]+)/.exec(site.mail.mails[before]?.text ?? "")?.[1] ?? "";
}

async function signIn(email: string): Promise<string> {
  const answer = await post("/sign-in/confirm", { token: await linkFor(email) });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

test("a mailed link signs in once, for the person it was mailed to, and the session ends when they sign out", async () => {
  const token = await linkFor("Ada@Example.com");
  expect(site.mail.mails[0]).toMatchObject({ to: "ada@example.com", subject: "Sign in to your daily brief" });
  const first = await post("/sign-in/confirm", { token });
  expect(first.status).toBe(204);
  const set = first.headers.get("set-cookie") ?? "";
  expect(set).toMatch(/; HttpOnly/);
  expect(set).toMatch(/; SameSite=Strict/);
  expect((await post("/sign-in/confirm", { token })).status).toBe(403);

  const cookie = set.split(";")[0] ?? "";
  expect((await ask("/person", cookie)).status).toBe(200);
  const stream = new StreamReader(await ask("/notifications", cookie));
  await stream.next();
  expect((await post("/sign-in/end", {}, cookie)).status).toBe(204);
  expect((await ask("/person", cookie)).status).toBe(401);
  expect(await stream.next()).toBeNull();
});

test("without a session nothing opens, and with one nothing of anybody else, in the streams neither", async () => {
  const paths = ["/person", `/person?person=${ada}`, `/notifications?person=${ada}`, "/stats"];
  for (const path of paths) expect((await ask(path)).status).toBe(401);
  expect((await post(`/token?person=${ada}`, {})).status).toBe(401);
  expect(await (await ask("/people")).json()).toMatchObject({ signsIn: true, people: [] });

  const cookie = await signIn("grace@example.com");
  expect(await (await ask("/people", cookie)).json()).toMatchObject({ people: [{ id: grace }] });
  expect(await (await ask("/person", cookie)).json()).toMatchObject({ projects: [{ id: "compiler" }] });
  for (const path of paths.slice(1)) expect((await ask(path, cookie)).status).toBe(404);
  expect((await post(`/token?person=${ada}`, {}, cookie)).status).toBe(404);
  expect((await post(`/jobs?person=${ada}`, { type: "generate_daily_brief" }, cookie)).status).toBe(404);
});

test("a link that is over does not sign in, and only hashes of tokens are stored", async () => {
  const token = await linkFor("kateryna@example.com");
  const stored = await db.query<{ all: string }>(
    "select (select json_agg(l) from daily_brief.sign_in_links as l)::text as all",
  );
  expect(stored[0]?.all).toContain("token_hash");
  expect(stored[0]?.all).not.toContain(token);
  await db.query("update daily_brief.sign_in_links set expires_at = now() - interval '1 second'");
  expect((await post("/sign-in/confirm", { token })).status).toBe(403);
});

test("unknown addresses are answered as known ones, and nobody is mailed more than three links in 15 minutes", async () => {
  const said = async (email: string) => {
    const answer = await post("/sign-in", { email });
    return { status: answer.status, body: await answer.text() };
  };
  const known = await said("kateryna@example.com");
  expect(await said("nobody@example.com")).toEqual(known);
  const links = await Promise.all(
    Array.from({ length: 6 }, () => site.app.signIns.newLink("ada@example.com")),
  );
  expect(links.filter((link) => link !== null)).toHaveLength(3);
  expect(await site.app.signIns.newLink("nobody@example.com")).toBeNull();
  expect(await said("ada@example.com")).toEqual(known);
});
