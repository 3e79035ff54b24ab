import { apiCaller, JobFactory, noon, testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer } from "../create-server.ts";

const db = testDatabase();
const jobs = new JobFactory(db);
const tokens = {
  operator: "a-token-of-an-operator-in-the-tests",
  viewer: "a-token-of-a-viewer-in-the-tests",
  ada: "a-token-of-an-owner-in-the-tests",
  few: "a-token-of-somebody-with-one-right",
};
const engine = createEngine({
  databaseUrl: db.url,
  logger: null,
  tokenSecret: "a secret of the tests, long enough for them",
});
const server = createServer({
  engine,
  access: {
    tokens: [
      { user: "otto", role: "operator", token: tokens.operator },
      { user: "vera", role: "viewer", token: tokens.viewer },
      { user: "ada", role: "operator", owner: "ada", token: tokens.ada },
      { user: "nemo", rights: ["jobs.read", "schedules.change"], token: tokens.few },
    ],
  },
  writesPerSecond: null,
  logger: null,
});
const call = apiCaller(server);
const hostile = '<b>eve</b>/..?&"';
let adasJob = "";

interface Page {
  data: { scope: string; periodBegan: string; spent: number }[];
  page: { next: string | null; hasMore: boolean };
}

beforeAll(async () => {
  const budgets = [
    { name: "tokens", per: "owner", limit: 100, everyMs: 86_400_000, unit: "tokens" },
    { name: "money", per: "total", limit: 5.5, unit: "USD" },
  ];
  await jobs.aPipeline("answers", [{ name: "ask", spends: { tokens: 60, money: 0.25 } }], { budgets });
  const worker = await jobs.aWorker({ serves: ["answers/ask"], at: new Date() });
  const at = new Date();
  adasJob = await jobs.aPendingJob({ pipeline: "answers", owner: "ada", at });
  for (const owner of ["ada", "bob", hostile]) await jobs.aPendingJob({ pipeline: "answers", owner, at });
  await jobs.claimAs(worker, { stage: "answers/ask", batchSize: 10, at });
  await db.query(
    `insert into lockstep.budget_usage (budget_id, scope, period_began, spent, attempts)
    select id, 'ada', $1::timestamptz - interval '12 hours', 70, 7 from lockstep.budgets where name = 'tokens'`,
    [noon],
  );
});
afterAll(async () => {
  await server.stop();
  await engine.stop();
});

async function waitingJob(): Promise<string> {
  const [row] = await db.query<{ job_id: string }>("select job_id from lockstep.budget_waits");
  return row?.job_id ?? "";
}

const as = (token: string, body?: unknown) => ({ token, ...(body === undefined ? {} : { body }) });

test("the list says what each budget allows, what is in use, and who is nearest to the limit", async () => {
  const { status, body } = await call<{ data: object[] }>("GET /budgets", as(tokens.viewer));
  expect(status).toBe(200);
  expect(body.data).toMatchObject([
    {
      name: "money",
      per: "total",
      limit: 5.5,
      unit: "USD",
      turnsAt: null,
      spent: 0,
      reserved: 0.75,
      scopes: 1,
    },
    {
      name: "tokens",
      everyMs: 86_400_000,
      pipelines: ["answers"],
      waitingJobs: 1,
      reserved: 180,
      scopes: 3,
      fullest: [{ scope: hostile }, { scope: "ada", limit: 100, reserved: 60, waiting: 1 }, { scope: "bob" }],
    },
  ]);
});

describe("the usage of a budget", () => {
  test("comes page by page, the newest period first", async () => {
    const seen: string[] = [];
    let cursor = "";
    for (let pages = 0; pages < 10; pages += 1) {
      const { body } = await call<Page>(`GET /budgets/tokens/usage?limit=1${cursor}`, as(tokens.viewer));
      seen.push(...body.data.map(({ scope }) => scope));
      if (body.page.next === null) break;
      cursor = `&cursor=${body.page.next}`;
    }
    expect(seen).toEqual([hostile, "ada", "bob", "ada"]);
  });

  test("is that of one scope, or since a time", async () => {
    const query = `scope=${encodeURIComponent(hostile)}`;
    const one = await call<Page>(`GET /budgets/tokens/usage?${query}`, as(tokens.viewer));
    expect(one.body.data).toMatchObject([{ scope: hostile, reserved: 60, running: 1 }]);
    const since = new Date(Date.now() - 2 * 86_400_000).toISOString();
    const late = await call<Page>(`GET /budgets/tokens/usage?scope=ada&since=${since}`, as(tokens.viewer));
    expect(late.body.data).toHaveLength(1);
    const all = await call<Page>("GET /budgets/tokens/usage?scope=ada", as(tokens.viewer));
    expect(all.body.data.map(({ spent }) => spent)).toEqual([0, 70]);
  });

  test.each([
    ["/budgets/tokns/usage", 404, "budget.not_found"],
    ["/budgets/tokens/usage?cursor=nonsense", 400, "cursor.invalid"],
    ["/budgets/tokens/usage?since=yesterday", 422, "input.invalid"],
    ["/budgets/tokens/usage?limit=0", 422, "input.invalid"],
  ])("%s is refused", async (path, status, code) => {
    expect(await call(`GET ${path}`, as(tokens.viewer))).toMatchObject({ status, body: { code } });
  });

  test("is an owner's own for whoever is bound to that owner, and for the owner's token", async () => {
    const token = engine.ownerToken("ada", { expiresInMs: 60_000 });
    for (const bound of [as(tokens.ada), as(token)]) {
      const { body } = await call<Page>("GET /budgets/tokens/usage", bound);
      expect(body.data.map(({ scope }) => scope)).toEqual(["ada", "ada"]);
      for (const path of [
        "/budgets/tokens/usage?scope=bob",
        "/budgets/tokens/usage?scope=",
        "/budgets/money/usage",
      ]) {
        const refused = await call(`GET ${path}`, bound);
        expect([path, refused.status, refused.body.code]).toEqual([path, 403, "owner.bound"]);
      }
      expect((await call("GET /budgets/none/usage", bound)).status).toBe(404);
    }
    expect((await call("GET /budgets", as(token))).status).toBe(401);
    expect((await call("PUT /budgets/tokens/limit", as(token, { limit: 1 }))).status).toBe(401);
    const ofJob = engine.jobToken(adasJob, { expiresInMs: 60_000 });
    expect((await call("GET /budgets/tokens/usage", as(ofJob))).status).toBe(401);
  });
});

test("whoever is bound to an owner is told why a job waits, and not which jobs hold the budget", async () => {
  const id = await waitingJob();
  const reasonFor = async (token: string) => {
    const { body } = await call<{ data: { reason: string; detail: object }[] }>(
      `GET /jobs/${id}/explain`,
      as(token),
    );
    return body.data.find(({ reason }) => reason === "budget")?.detail;
  };
  expect(await reasonFor(tokens.viewer)).toMatchObject({
    budget: "tokens",
    reservedBy: [{ jobId: adasJob }],
  });
  const told = await reasonFor(tokens.ada);
  expect(told).toMatchObject({ budget: "tokens", scope: "ada", reserved: 60 });
  expect(told).not.toHaveProperty("reservedBy");
});

describe("the limit of a budget", () => {
  const limits = async () => (await engine.budgets()).map(({ limit }) => limit);

  test("is set for one scope and lets its jobs go on; who did it and why is recorded", async () => {
    const set = { limit: 200, scope: "ada", reason: "has <paid>" };
    const { status, body } = await call("PUT /budgets/tokens/limit", as(tokens.operator, set));
    expect([status, body]).toEqual([200, { name: "tokens", scope: "ada", limit: 200, changed: true }]);
    expect((await engine.budgets()).map(({ waitingJobs }) => waitingJobs)).toEqual([0, 0]);
    const again = await call("PUT /budgets/tokens/limit", as(tokens.operator, set));
    expect(again.body).toMatchObject({ changed: false });
    expect(await engine.recordedActions({ limit: 2 })).toMatchObject([
      { outcome: "unchanged" },
      {
        user: "otto",
        action: "budgets.set_limit",
        target: "budgets/tokens/ada",
        outcome: "set",
        detail: { limit: 200, reason: "has <paid>" },
      },
    ]);
  });

  test("is set for the whole budget, and taken back", async () => {
    await call("PUT /budgets/tokens/limit", as(tokens.operator, { limit: 250.5 }));
    expect(await limits()).toEqual([5.5, 250.5]);
    const { body } = await call("PUT /budgets/tokens/limit", as(tokens.operator, { limit: null }));
    expect(body).toEqual({ name: "tokens", scope: null, limit: null, changed: true });
    expect(await limits()).toEqual([5.5, 100]);
  });

  test("is set only by those who may", async () => {
    for (const token of [tokens.viewer, tokens.few]) {
      const { status, body } = await call("PUT /budgets/tokens/limit", as(token, { limit: 1 }));
      expect([status, body.code, body.detail]).toEqual([
        403,
        "rights.missing",
        expect.stringContaining("budgets.change"),
      ]);
    }
    const bound = await call("PUT /budgets/tokens/limit", as(tokens.ada, { limit: 1, scope: "ada" }));
    expect([bound.status, bound.body.code]).toEqual([403, "owner.bound"]);
    expect(await limits()).toEqual([5.5, 100]);
  });

  test.each([
    [{}],
    [{ limit: -1 }],
    [{ limit: 1e16 }],
    [{ limit: "12" }],
    [{ limit: 1, scope: 7 }],
    [{ limit: 1, reason: "x".repeat(501) }],
    [{ limit: 1, resaon: "typo" }],
    [{ limit: 1, scope: "\u0000" }],
  ])("%j is refused, and changes nothing", async (body) => {
    const answer = await call("PUT /budgets/tokens/limit", as(tokens.operator, body));
    expect([answer.status, answer.body.code]).toEqual([422, "input.invalid"]);
    expect(await limits()).toEqual([5.5, 100]);
  });

  test("of a budget that is not there is refused", async () => {
    const answer = await call("PUT /budgets/tokns/limit", as(tokens.operator, { limit: 1 }));
    expect([answer.status, answer.body.code]).toEqual([404, "budget.not_found"]);
  });
});
