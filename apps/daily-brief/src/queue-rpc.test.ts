import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";
import { queueStatsText } from "./services/queue-stats-text.ts";
import { givenPeople } from "./test-support/brief-people.ts";
import { ada } from "./test-support/example-people.ts";

const db = testDatabase();
const hasPsql = spawnSync("psql", ["--version"]).status === 0;
const app = new DailyBriefApp(readDailyBriefConfig({}), async () => db.url);
let engine: ReturnType<typeof createEngine>;

beforeAll(async () => {
  engine = createEngine({ databaseUrl: db.url, pipelines: Object.values(app.pipelines), logger: null });
  await app.database.prepare();
  await givenPeople(db.url, [{ id: ada }]);
  // Makes the pipelines known; it never works here.
  await engine.add(app.pipelines.generatePhases, { projectId: `of ${ada}` });
});

afterAll(async () => {
  await engine.stop();
  await app.close();
  expect(await db.call("verify")).toEqual([]);
});

async function add(text: string, more = ""): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `select daily_brief.add_queue_job('${ada}', 'onboarding_analysis', $1${more}) as id`,
    [JSON.stringify({ personId: ada, text })],
  );
  return row?.id ?? "";
}

interface Claimed {
  readonly id: string;
  readonly claim_token: string;
  readonly metadata: unknown;
  readonly attempts: number;
}

/** A client that knows the functions by the names of the document only. */
async function aClient() {
  const client = await db.connect();
  await client.query("set search_path = daily_brief");
  const one = async (call: string, values: unknown[] = []): Promise<unknown> =>
    (await client.query({ text: `select ${call}`, values, rowMode: "array" })).rows[0]?.[0];
  const claim = async (call: string): Promise<Claimed[]> =>
    (await client.query(`select * from ${call}`)).rows;
  const statusOf = async (id: unknown) => (await engine.get(id as never))?.status;
  return { one, claim, statusOf };
}

const claimCall = "claim_pending_jobs(p_job_types => array['onboarding_analysis'], p_batch_size => 5)";

test("the calls of the document run as they are written there", async () => {
  const { one, claim, statusOf } = await aClient();
  const metadata = { personId: ada, text: "I weave." };
  const addCall = `add_queue_job(
    p_user_id => '${ada}'::uuid,
    p_job_type => 'onboarding_analysis',
    p_metadata => '${JSON.stringify(metadata)}'::jsonb,
    p_priority => 10,
    p_scheduled_for => now(),
    p_dedup_key => 'first look'
  )`;
  const id = await one(addCall);
  expect(await one(addCall)).toBe(id);
  expect(await engine.get(id as never)).toMatchObject({ status: "pending", priority: 10, owner: ada });

  expect(await claim(claimCall)).toMatchObject([{ id, metadata, attempts: 1 }]);
  expect(await claim(claimCall)).toEqual([]);
  expect(await statusOf(id)).toBe("processing");
  expect(await one("complete_queue_job($1, '{\"words\": 2}')", [id])).toBe("applied");
  expect(await engine.get(id as never)).toMatchObject({ status: "completed", result: { words: 2 } });

  // Without what the document calls optional.
  const failing = await one(`add_queue_job('${ada}'::uuid, 'onboarding_analysis', $1)`, [metadata]);
  expect(await statusOf(failing)).toBe("pending");
  await claim(claimCall);
  expect(await one("fail_queue_job($1, 'no ink', p_retry => true)", [failing])).toBe("applied");
  expect(await statusOf(failing)).toBe("retrying");
  expect(await one("cancel_queue_job($1)", [failing])).toBe("cancelled");
  expect(await statusOf(failing)).toBe("cancelled");

  const wrong = await one(`add_queue_job('${ada}'::uuid, 'onboarding_analysis', $1)`, [metadata]);
  await claim(claimCall);
  await one("fail_queue_job($1, 'never', p_retry => false)", [wrong]);
  expect(await engine.get(wrong as never)).toMatchObject({ status: "failed", attempt: 1 });

  const stats = await claim("get_queue_stats() where job_type = 'onboarding_analysis' and count > 0");
  expect(stats).toEqual([
    { job_type: "onboarding_analysis", status: "cancelled", count: "1" },
    { job_type: "onboarding_analysis", status: "completed", count: "1" },
    { job_type: "onboarding_analysis", status: "failed", count: "1" },
  ]);
  expect(await db.query("select name from lockstep.active_workers() where name = 'queue_rpc'")).toEqual([]);
});

test("reset_stalled_jobs('15 minutes') takes back what is older, and nothing else", async () => {
  const { one, claim, statusOf } = await aClient();
  const old = await add("stalled");
  // A lease that is longer than the document's 15 minutes, which decide.
  const [first] = await claim("claim_pending_jobs(array['onboarding_analysis'], 5, '1 hour')");
  await db.query("update daily_brief.queue_claims set claimed_at = claimed_at - interval '16 minutes'");
  const young = await add("young");
  await claim(claimCall);
  expect(await one("reset_stalled_jobs('15 minutes')")).toBe(1);
  expect([await statusOf(old), await statusOf(young)]).toEqual(["pending", "processing"]);
  expect(await one("reset_stalled_jobs('15 minutes')")).toBe(0);

  await expect(one("complete_queue_job($1)", [old])).rejects.toThrow(`Job ${old} is not claimed.`);
  // Somebody else has it now: who hands in the old token changes nothing.
  const [second] = await claim(claimCall);
  expect(second?.id).toBe(old);
  const complete = "complete_queue_job($1, p_claim_token => $2)";
  expect(await one(complete, [old, first?.claim_token])).not.toBe("applied");
  expect(await statusOf(old)).toBe("processing");
  expect(await one(complete, [old, second?.claim_token])).toBe("applied");
  expect(await one("complete_queue_job($1)", [young])).toBe("applied");
});

test("a batch is claimed by priority, not before it is due, and only once by clients side by side", async () => {
  const later = await add("later");
  const sooner = await add("sooner", ", p_priority => 1");
  const future = await add("tomorrow", ", p_scheduled_for => now() + interval '1 day'");
  const clients = await Promise.all([aClient(), aClient(), aClient()]);
  const [{ one, claim }] = clients;
  const batch = (await claim(claimCall)).map(({ id }) => id);
  expect(batch).toEqual([sooner, later]);
  expect(await engine.get(future as never)).toMatchObject({ status: "scheduled" });

  const together: string[] = [];
  while (together.length < 9) together.push(await add("together"));
  const claims = await Promise.all(clients.map((client) => client.claim(claimCall)));
  const claimed = claims.flat().map(({ id }) => id);
  // A claim passes over what another one is just taking.
  claimed.push(
    ...(await claim(claimCall)).map(({ id }) => id),
    ...(await claim(claimCall)).map(({ id }) => id),
  );
  expect(claimed.sort()).toEqual(together.sort());
  for (const id of [...batch, ...claimed]) expect(await one("complete_queue_job($1)", [id])).toBe("applied");
  const text = queueStatsText(await engine.stats(), ["onboarding_analysis"]);
  expect(text.split("\n")[0]).toBe("📊 Queue Statistics:");
  expect(text).toContain("\n   onboarding_analysis - completed: 14");
});

// Named as not run where psql is missing.
test.runIf(hasPsql)("a worker of thirty lines of shell and psql claims and completes a job", async () => {
  const id = await add("Weaving patterns, like a loom.", ", p_priority => 1");
  const script = fileURLToPath(new URL("../worker/onboarding.sh", import.meta.url));
  const child = spawn(script, ["1"], {
    // biome-ignore lint/style/noProcessEnv: the shell needs PATH; nothing else of ours shall reach it.
    env: { PATH: process.env.PATH ?? "", DATABASE_URL: db.url },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      said += chunk;
    });
  }
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining(`${id} applied\n`) });
  expect(await engine.get(id as never)).toMatchObject({ status: "completed", result: { words: 5 } });
});
