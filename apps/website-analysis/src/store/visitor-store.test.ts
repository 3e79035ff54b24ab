import { randomUUID } from "node:crypto";
import { testDatabase } from "@lockstep/test-support";
import { afterAll, expect, test } from "vitest";
import { ShareStore } from "./share-store.ts";
import { SiteDatabase } from "./site-database.ts";
import { TooManyError, VisitorStore } from "./visitor-store.ts";

const db = testDatabase();
const database = new SiteDatabase(async () => db.url);
afterAll(() => database.close());
const id = "019a0000-0000-7000-8000-000000000001";

test("the secret is made once, also by two processes at the same moment", async () => {
  const visitors = new VisitorStore(database, { atOnce: 1, perHour: 1 });
  const secrets = await Promise.all(Array.from({ length: 6 }, () => visitors.secret()));
  expect(new Set(secrets).size).toBe(1);
  expect(secrets[0]?.length).toBeGreaterThanOrEqual(32);
});

const none = async () => 0;
const ask = (visitors: VisitorStore, visitor: string, live = none) =>
  visitors.take({ visitor, url: "https://site.example/" }, live, async () => randomUUID());

test("of requests at the same moment no more are taken than a visitor may have", async () => {
  const visitors = new VisitorStore(database, { atOnce: 100, perHour: 3 });
  const settled = await Promise.allSettled(Array.from({ length: 8 }, () => ask(visitors, "ada")));
  const refused = settled.flatMap((answer) => (answer.status === "rejected" ? [String(answer.reason)] : []));
  expect(refused).toHaveLength(5);
  for (const text of refused)
    expect(text).toMatch(/3 analyses within an hour, and more are not taken\. Try again after \d\d:\d\d UTC/);
  await ask(visitors, "bob");
  await db.query("update website_analysis.analyses set requested_at = now() - interval '61 minutes'");
  await ask(visitors, "ada");
});

test("what waits or runs counts too, and a request that fails is not counted", async () => {
  const visitors = new VisitorStore(database, { atOnce: 2, perHour: 1 });
  await expect(ask(visitors, "eve", async () => 2)).rejects.toThrow(TooManyError);
  const broken = visitors.take({ visitor: "eve", url: "https://site.example/" }, none, async () => {
    throw new Error("broken");
  });
  await expect(broken).rejects.toThrow("broken");
  const id = await ask(visitors, "eve", async () => 1);
  expect(await visitors.urlsOf("eve", [id])).toEqual(new Map([[id, "https://site.example/"]]));
  expect((await visitors.urlsOf("bob", [id])).size).toBe(0);
});

test("a link opens its report until it is taken back, and only its visitor may take it back", async () => {
  const shares = new ShareStore(database);
  const token = await shares.share(id, "ada");
  expect(token).toMatch(/^[\w-]{32}$/);
  expect(await shares.share(id, "ada")).toBe(token);
  await expect(shares.share(id, "eve")).rejects.toThrow("shared by another visitor");
  await shares.takeBack(id, "eve");
  expect(await shares.analysisOf(token)).toEqual({ analysisId: id, visitor: "ada" });
  expect(await shares.tokenOf(id, "eve")).toBeNull();
  await shares.takeBack(id, "ada");
  expect(await shares.analysisOf(token)).toBeNull();
  expect(await shares.share(id, "ada")).not.toBe(token);
  expect(await shares.analysisOf("\0")).toBeNull();
});
