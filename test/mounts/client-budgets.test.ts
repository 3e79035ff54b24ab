import { createClient, ResponseError } from "@lockstep/client";
import { createServer } from "@lockstep/server";
import { JobFactory, localPeer, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";

const db = testDatabase();
const jobs = new JobFactory(db);
const operator = "a-token-of-an-operator-in-the-tests";
const tokenSecret = "a secret of the tests, long enough for them";
const engine = createEngine({ databaseUrl: db.url, logger: null, tokenSecret });
const access = { tokens: [{ user: "otto", role: "operator", token: operator }] } as const;
const server = createServer({ engine, access, logger: null });

const clientWith = (token: string) =>
  createClient({
    baseUrl: "http://localhost",
    token: () => token,
    fetch: (input, init) => server.fetch(new Request(input, init), localPeer),
  });

beforeAll(async () => {
  const budgets = [{ name: "tokens", per: "owner", limit: 100, everyMs: 86_400_000 }];
  await jobs.aPipeline("answers", [{ name: "ask", spends: { tokens: 60 } }], { budgets });
  const at = new Date();
  const worker = await jobs.aWorker({ serves: ["answers/ask"], at });
  for (const owner of ["ada", "bob & co"]) await jobs.aPendingJob({ pipeline: "answers", owner, at });
  await jobs.claimAs(worker, { stage: "answers/ask", batchSize: 10, at });
});
afterAll(async () => {
  await server.stop();
  await engine.stop();
});

test("a program reads budgets page by page, and sets their limits", async () => {
  const client = clientWith(operator);
  expect(await client.budgets()).toMatchObject([{ name: "tokens", reserved: 120, scopes: 2 }]);
  const first = await client.budgetUsage("tokens", { limit: 1, since: new Date(Date.now() - 86_400_000) });
  expect(first.data).toMatchObject([{ scope: "ada" }]);
  const rest = await client.budgetUsage("tokens", { cursor: first.page.next ?? "" });
  expect(rest).toMatchObject({ data: [{ scope: "bob & co", reserved: 60 }], page: { hasMore: false } });
  expect(await client.budgetUsage("tokens", { scope: "bob & co" })).toMatchObject({ data: { length: 1 } });
  const set = { scope: "bob & co", reason: "paid", idempotencyKey: "once" };
  const answer = { name: "tokens", scope: "bob & co", limit: 500, changed: true };
  expect(await client.setBudgetLimit("tokens", 500, set)).toEqual(answer);
  // The same request again is answered as the first was.
  expect(await client.setBudgetLimit("tokens", 500, set)).toEqual(answer);
  expect(await client.setBudgetLimit("tokens", null)).toMatchObject({ scope: null, changed: false });
});

test("an owner's token reads that owner's usage, and sets nothing", async () => {
  const client = clientWith(engine.ownerToken("ada", { expiresInMs: 60_000 }));
  expect(await client.budgetUsage("tokens")).toMatchObject({ data: [{ scope: "ada", reserved: 60 }] });
  await expect(client.budgetUsage("tokens", { scope: "bob & co" })).rejects.toMatchObject({ status: 403 });
  await expect(client.setBudgetLimit("tokens", 1)).rejects.toBeInstanceOf(ResponseError);
});
