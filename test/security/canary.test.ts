import { inspect } from "node:util";
import { createServer } from "@lockstep/server";
import { apiCaller, recordEvents, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline, type Engine, type Logger, PermanentError } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const db = testDatabase();
const canary = "canary5e7b1c0f9a";
const address = `https://me:${canary}@example.com/orders`;
const tokens = { operator: `operator-${canary}-token`, viewer: `viewer-${canary}-token` };
const secretsOf = (word: string) => ({ password: canary, nested: [{ apiKey: canary, [word]: address }] });

const orders = definePipeline("orders", { payload: z.looseObject({ fails: z.boolean() }) })
  .stage("read", async ({ log, progress, once }) => {
    log.info(`reads ${address}`, secretsOf("info"));
    log.error(`cannot read ${address}`, { authorization: canary });
    progress(40, `at ${address}`, secretsOf("progress"));
    await once("charge", () => secretsOf("effect"));
    return secretsOf("output");
  })
  .stage("write", ({ payload }) => {
    if (!payload.fails) return secretsOf("result");
    const cause = new Error(`refused by ${address}`);
    throw Object.assign(new PermanentError(`no answer from ${address}`, { cause }), { code: "E_ADDRESS" });
  });

/** Every line that anybody logs, with all it carries. */
const lines: string[] = [];
const note = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
const logger: Logger = { debug: note, info: note, warn: note, error: note };

async function aWorker(): Promise<Engine> {
  const tokenSecret = `${canary}, long enough to be a secret of tokens`;
  const engine = createEngine({ databaseUrl: db.url, pipelines: [orders], logger, tokenSecret });
  onTestFinished(() => engine.stop());
  const events = recordEvents(engine);
  await engine.start();
  for (const fails of [false, true]) {
    const payload = { fails, ...secretsOf("payload"), cookie: canary };
    await engine.add(orders, payload, { owner: "ada", tags: ["shown"], dedupKey: `order ${fails}` });
  }
  await events.next("job.completed");
  await events.next("job.failed");
  return engine;
}

/** Where a secret is found, of all that was said. */
function hits(said: Record<string, string>, secrets: readonly string[] = [canary]): string[] {
  return Object.entries(said).flatMap(([where, text]) =>
    secrets.flatMap((secret) => {
      const at = text.indexOf(secret);
      return at === -1 ? [] : [`${where}: …${text.slice(Math.max(0, at - 80), at + 20)}…`];
    }),
  );
}

/** Whoever has one may end a job. */
async function claimTokens(): Promise<string[]> {
  const rows = await db.query<{ token: string }>(
    `select claim_token as token from lockstep.finished_jobs
    union select h.claim_token from lockstep.finished_jobs f cross join lateral unnest(f.history) h`,
  );
  return rows.map(({ token }) => token);
}

test("a secret in every field of a job is in no answer, no stream and no line of the log", async () => {
  const engine = await aWorker();
  const server = createServer({
    engine,
    access: {
      tokens: [
        { user: "otto", role: "operator", token: tokens.operator },
        { user: "vera", role: "viewer", token: tokens.viewer },
      ],
    },
    logger,
  });
  onTestFinished(() => server.stop());
  const call = apiCaller(server);
  const said: Record<string, string> = {};
  const ask = async (line: string, request: { token?: string; body?: unknown }) => {
    const { status, headers, body } = await call(line, {
      ...request,
      headers: { accept: "application/json" },
    });
    said[`${line} ${request.token}`.replaceAll(canary, "…")] = JSON.stringify([status, [...headers], body]);
    return body;
  };

  const { paths } = (await ask("GET /openapi.json", { token: tokens.operator })) as {
    paths: Record<string, object>;
  };
  const jobs = await db.query<{ id: string }>("select id from lockstep.finished_jobs");
  const values: Record<string, string> = { pipeline: "orders", stage: "read", name: "orders" };
  for (const [path, methods] of Object.entries(paths)) {
    if (!("get" in methods)) continue;
    for (const { id } of path.includes("{id}") ? jobs : [{ id: "" }]) {
      const line = `GET ${path.replace("{id}", id).replace(/\{(\w+)\}/g, (_all, name) => values[name] ?? "x")}`;
      for (const token of Object.values(tokens)) await ask(line, { token });
    }
  }
  expect(Object.keys(said).length).toBeGreaterThan(40);

  const endUser = engine.ownerToken("ada", { expiresInMs: 60_000 });
  for (const token of [...Object.values(tokens), endUser]) await ask("GET /events?after=start", { token });
  for (const { id } of jobs) await ask(`GET /jobs/${id}`, { token: endUser });

  // What is refused is told without what was sent.
  await ask("POST /jobs", {
    token: tokens.operator,
    body: { pipeline: "orders", payload: { password: canary } },
  });
  await ask("POST /jobs", { token: tokens.operator, body: `{"password": "${canary}"` });
  await ask("GET /me", { token: `wrong-${canary}` });
  await ask(`GET /events?token=wrong-${canary}`, {});
  await ask(`GET /jobs?filter=nonsense&password=${canary}`, { token: tokens.operator });

  const secrets = [canary, ...(await claimTokens())];
  expect(secrets.length).toBeGreaterThan(2);
  expect(hits(said, secrets)).toEqual([]);
  expect(lines.some((line) => line.includes("/api/v1/jobs"))).toBe(true);
  expect(lines.some((line) => line.includes("no answer from"))).toBe(true);
  expect(hits(Object.fromEntries(lines.entries()), secrets)).toEqual([]);
});

test("the password of the database is in no line of the log and no error, whatever is wrong with its URL", async () => {
  const stranger = new URL(db.url);
  stranger.username = "stranger";
  stranger.password = canary;
  const urls = [
    stranger.href,
    `postgres://me:${canary}@127.0.0.1:1/nothing`,
    `postgres://me:${canary}@no-such-host.invalid/nothing`,
    `postgres://me:${canary}@[nonsense/nothing`,
    `me:${canary}@127.0.0.1`,
  ];
  const said: Record<string, string> = {};
  for (const [number, databaseUrl] of urls.entries()) {
    const error = await migrated(databaseUrl).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    said[`error ${number}`] = inspect(error, { depth: 10, showHidden: true });
  }
  await untilToldOfOutage(`postgres://me:${canary}@127.0.0.1:1/nothing`);
  expect(lines.some((line) => line.includes("The database cannot be used"))).toBe(true);
  expect(hits({ ...said, ...Object.fromEntries(lines.entries()) })).toEqual([]);
});

async function migrated(databaseUrl: string): Promise<unknown> {
  const engine = createEngine({ databaseUrl, pipelines: [orders], logger });
  onTestFinished(() => engine.stop());
  await engine.stats().catch(() => undefined);
  return await engine.migrate();
}

/** One call that fails is no outage: this one tries again until it is sure. */
async function untilToldOfOutage(databaseUrl: string): Promise<void> {
  const engine = createEngine({ databaseUrl, pipelines: [orders], logger });
  onTestFinished(() => engine.stop());
  const events = recordEvents(engine);
  engine.start().catch(() => undefined);
  await events.next("database.down");
}
