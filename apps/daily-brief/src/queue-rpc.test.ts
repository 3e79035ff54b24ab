import { spawn, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { testDatabase } from "@lockstep/test-support";
import { createEngine } from "lockstep";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DailyBriefApp } from "./daily-brief-app.ts";
import { readDailyBriefConfig } from "./daily-brief-config.ts";
import { queueStatsText } from "./services/queue-stats-text.ts";
import { givenPeople } from "./test-support/brief-people.ts";

const db = testDatabase();
const hasPsql = spawnSync("psql", ["--version"]).status === 0;
const app = new DailyBriefApp(readDailyBriefConfig({}), async () => db.url);
let engine: ReturnType<typeof createEngine>;

beforeAll(async () => {
  engine = createEngine({ databaseUrl: db.url, pipelines: Object.values(app.pipelines), logger: null });
  await app.database.prepare();
  await givenPeople(db.url, [{ id: "ada" }]);
  // Makes the pipelines known; it never works here.
  await engine.add(app.pipelines.generatePhases, { projectId: "of ada" });
});

afterAll(async () => {
  await engine.stop();
  await app.close();
  expect(await db.call("verify")).toEqual([]);
});

async function add(text: string, more = ""): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `select daily_brief.add_queue_job('ada', 'onboarding_analysis', $1${more}) as id`,
    [JSON.stringify({ personId: "ada", text })],
  );
  return row?.id ?? "";
}

test("the queue is worked from SQL alone: add with dedup, claim by priority, complete, fail, reset, statistics", async () => {
  const later = await add("later");
  const sooner = await add("sooner", ", p_priority => 1, p_dedup_key => 'one'");
  expect(await add("sooner", ", p_priority => 1, p_dedup_key => 'one'")).toBe(sooner);
  const future = await add("tomorrow", ", p_scheduled_for => now() + interval '1 day'");

  const worker = randomUUID();
  const claimed = await db.query<{ id: string; claim_token: string }>(
    "select * from daily_brief.claim_pending_jobs($1, array['onboarding_analysis'])",
    [worker],
  );
  expect(claimed.map(({ id }) => id)).toEqual([sooner, later]);
  const [first, second] = claimed;
  expect(
    await db.query("select daily_brief.complete_queue_job($1, $2, '{\"words\": 1}') as answer", [
      first?.id,
      first?.claim_token,
    ]),
  ).toEqual([{ answer: "applied" }]);
  await db.query("select daily_brief.fail_queue_job($1, $2, 'no ink')", [second?.id, second?.claim_token]);
  expect(await engine.get(later as never)).toMatchObject({ status: "retrying" });
  expect(await engine.get(future as never)).toMatchObject({ status: "scheduled" });

  const wrong = await add("wrong", ", p_priority => 1");
  const [again] = await db.query<{ id: string; claim_token: string }>(
    "select * from daily_brief.claim_pending_jobs($1, array['onboarding_analysis'])",
    [worker],
  );
  await db.query("select daily_brief.fail_queue_job($1, $2, 'never', false)", [
    again?.id,
    again?.claim_token,
  ]);
  expect(await engine.get(wrong as never)).toMatchObject({ status: "failed", attempt: 1 });

  await add("stalled", ", p_priority => 1");
  await db.query("select * from daily_brief.claim_pending_jobs($1, array['onboarding_analysis'])", [worker]);
  await db.timePasses(16 * 60_000);
  expect(await db.query("select daily_brief.reset_stalled_jobs() as jobs")).toEqual([{ jobs: 1 }]);

  const stats = await db.query(
    "select status, count::int from daily_brief.get_queue_stats() where job_type = 'onboarding_analysis' and count > 0",
  );
  expect(stats).toContainEqual({ status: "completed", count: 1 });
  const text = queueStatsText(await engine.stats(), ["onboarding_analysis"]);
  expect(text.split("\n")[0]).toBe("📊 Queue Statistics:");
  expect(text).toContain("\n   onboarding_analysis - completed: 1");
});

// Named as not run where psql is missing.
test.runIf(hasPsql)("a worker of thirty lines of shell and psql claims and completes a job", async () => {
  // Beside the one that was reset.
  const id = await add("Weaving patterns, like a loom.", ", p_priority => 1");
  const script = fileURLToPath(new URL("../worker/onboarding.sh", import.meta.url));
  const child = spawn(script, ["2"], {
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
