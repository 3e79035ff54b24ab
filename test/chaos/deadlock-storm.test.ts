// In real time: the subject is what PostgreSQL's deadlock detector finds, and when.
import { randomUUID } from "node:crypto";
import { runRetention, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { sqlFunction } from "../../packages/engine/src/store/calls/call-function.ts";
import { Database, type Statement } from "../../packages/engine/src/store/connections/database.ts";
import { targetAt } from "../../packages/engine/src/test-support/target-at.ts";
import { until } from "../scenarios/stories/until.ts";
import { meetCrosswise } from "./crosswise.ts";

const db = testDatabase();
// Of everything that is counted, before the storm may end.
const enough = 3;

const functions = {
  sweep: sqlFunction("sweep_lost_workers", ["p_cancel_grace"]),
  retention: sqlFunction("delete_finished_jobs", ["p_keep_completed", "p_keep_unsuccessful"]),
  tables: sqlFunction("drop_old_table", ["p_keep_completed", "p_keep_unsuccessful"]),
  effects: sqlFunction("delete_effects", ["p_keep"]),
  fold: sqlFunction("fold_counters", []),
  register: sqlFunction("register_worker", ["p_worker_id", "p_name", "p_lease", "p_stages"]),
  claim: sqlFunction("claim_jobs", ["p_worker_id", "p_stages", "p_batch_size"]),
};

const longAgo = {
  table: sqlFunction("create_partitions", ["p_days", "p_now"]),
  add: sqlFunction("add_job", ["p_pipeline", "p_now"]),
  register: sqlFunction("register_worker", ["p_worker_id", "p_name", "p_lease", "p_stages", "p_now"]),
  claim: sqlFunction("claim_jobs", ["p_worker_id", "p_stages", "p_batch_size", "p_now"]),
  begin: sqlFunction("begin_effect", ["p_id", "p_claim_token", "p_key", "p_now"]),
  finish: sqlFunction("finish_effect", ["p_id", "p_claim_token", "p_key", "p_now"]),
  complete: sqlFunction("complete_job", ["p_id", "p_claim_token", "p_now"]),
};
const dayMs = 86_400_000;

test("eight sweepers, eight pruners, bulk cancels and retries and four workers and a stranger who locks jobs backwards meet, and none of ours is told of a deadlock", async () => {
  const name = new URL(db.url).pathname.slice(1);
  await db.query(`alter database ${name} set deadlock_timeout = '500ms'`);
  const letters = definePipeline("letters")
    .stage("write", { retry: { baseMs: 1 } }, () => work())
    .stage("send", { retry: { baseMs: 1 } }, () => work());
  const anEngine = () => {
    const engine = createEngine({ databaseUrl: db.url, pipelines: [letters], logger: null });
    onTestFinished(() => engine.stop());
    return engine;
  };
  const client = anEngine();
  const engines = [client, anEngine(), anEngine(), anEngine()];
  let added = 0;
  const addLetters = async (length: number) => {
    const letter = (_: unknown, n: number) => ({ payload: n, owner: `owner-${n % 3}` });
    added += (await client.addMany(letters, Array.from({ length }, letter))).length;
  };
  await addLetters(300);
  const done = {
    ...{ completed: 0, cancel: 0, retry: 0, takenBack: 0, folded: 0 },
    ...{ rowsDeleted: 0, tablesDropped: 0, effectsLookedAt: 0, ourDeadlocks: 0 },
  };
  const errors: unknown[] = [];
  for (const engine of engines) {
    engine.on("job.completed", () => {
      done.completed += 1;
    });
    engine.on("engine.error", ({ error }) => errors.push(error));
    engine.on("database.down", ({ error }) => errors.push(error));
    await engine.start();
  }
  const store = new Database({
    target: targetAt(db.url),
    connections: 24,
    transactionPooler: false,
    applicationName: "storm",
    outages: { begun: () => 0, succeeded: () => {}, failed: (_, error) => errors.push(error) },
  });
  onTestFinished(() => store.close({ sleep: async () => {} }));

  await db.call("define_pipeline", { p_name: "parcels", p_stages: [{ name: "send" }] });
  await db.call("define_pipeline", { p_name: "archives", p_stages: [{ name: "keep" }] });
  const crossing = { store, stranger: await db.connect(), watcher: await db.connect() };
  let meetings = 0;
  let strangersOwn = 0;
  const isOver = () => Object.values(done).every((count) => count >= enough);
  const storm = (act: () => Promise<unknown>) =>
    (async () => {
      while (!isOver()) await act().catch((error) => errors.push(error));
    })();
  await Promise.all([
    ...Array.from({ length: 8 }, () =>
      storm(async () => {
        const [swept] = await store.query<{ lost_jobs: number }>(functions.sweep("1 millisecond"));
        done.takenBack += swept?.lost_jobs ?? 0;
      }),
    ),
    ...Array.from({ length: 8 }, (_, n) =>
      storm(async () => {
        if (n % 2 === 0) {
          done.rowsDeleted += await numberOf(store, functions.retention("1 day", "1 day"));
          const dropped = await store.query<{ is_gone: boolean }>(functions.tables("1 day", "1 day"));
          done.tablesDropped += dropped.filter(({ is_gone }) => is_gone).length;
        } else {
          done.effectsLookedAt += await numberOf(store, functions.effects("1 day"));
        }
        done.folded += await numberOf(store, functions.fold());
      }),
    ),
    // Gives them something to delete.
    ...Array.from({ length: 2 }, (_, n) => {
      const workerId = randomUUID();
      return storm(() => endLongAgo(store, "archives", { workerId, daysAgo: 40 + n, hasTable: n === 0 }));
    }),
    // Dies again and again, with whatever it has claimed.
    storm(async () => {
      const workerId = randomUUID();
      await addLetters(10);
      await store.query(functions.register(workerId, "dying", "1 minute", ["letters/write"]));
      await store.query(functions.claim(workerId, ["letters/write"], 20));
      await db.query("update lockstep.workers set lease_until = now() where id = $1", [workerId]);
    }),
    // Ours lock jobs in the order of their ids, and hardly ever meet crosswise by themselves.
    storm(async () => {
      meetings += 1;
      if (await meetCrosswise(crossing, "parcels")) strangersOwn += 1;
      else done.ourDeadlocks += 1;
    }),
    ...(["cancel", "retry"] as const).map((action) =>
      storm(async () => {
        const statuses = action === "retry" ? (["failed", "cancelled"] as const) : undefined;
        const { id } = await client.bulk.start({ action, filter: { pipeline: "letters", statuses } });
        let step = await client.bulk.step(id);
        while (step?.status === "running" && !isOver()) step = await client.bulk.step(id);
        done[action] += step?.done ?? 0;
      }),
    ),
  ]);
  expect(errors).toEqual([]);
  await Promise.all(engines.map((engine) => engine.stop()));

  // PostgreSQL tells a moment later.
  await until("calls of ours were the victims of deadlocks", async () => {
    const [row] = await db.query<{ deadlocks: number }>(
      "select deadlocks::integer from pg_stat_database where datname = current_database()",
    );
    return (row?.deadlocks ?? 0) > strangersOwn;
  });

  const count = async (pipelines: readonly string[]) => {
    const [row] = await db.query<{ jobs: number }>(
      `select count(*)::integer as jobs
       from (select pipeline_id from lockstep.jobs union all select pipeline_id from lockstep.finished_jobs) j
       join lockstep.pipelines p on p.id = j.pipeline_id where p.name = any ($1)`,
      [pipelines],
    );
    return row?.jobs;
  };
  expect(await count(["letters", "parcels"])).toBe(added + 2 * meetings);
  await runRetention(db, { p_keep_completed: "1 day", p_keep_unsuccessful: "1 day" });
  expect(await count(["archives"])).toBe(0);
  expect(await db.call("verify")).toEqual([]);
});

async function numberOf(store: Database, statement: Statement): Promise<number> {
  const [row] = await store.query<Record<string, number>>(statement);
  return Number(Object.values(row ?? {})[0] ?? 0);
}

/** Long enough to be cancelled or swept meanwhile; now and then in vain. */
async function work(): Promise<number> {
  const chance = Math.random();
  await new Promise((resolve) => setTimeout(resolve, chance * 40));
  if (chance < 0.2) throw new Error("in vain");
  return 1;
}

/**
 * A job with an effect that ended this many days ago: retention has something to delete, and where the day has a table,
 * something to drop.
 */
async function endLongAgo(
  store: Database,
  pipeline: string,
  { workerId, daysAgo, hasTable }: { workerId: string; daysAgo: number; hasTable: boolean },
): Promise<void> {
  const at = new Date(Date.now() - daysAgo * dayMs);
  if (hasTable) await store.query(longAgo.table(0, at));
  const stages = [`${pipeline}/keep`];
  await store.query(longAgo.register(workerId, "long ago", "100 years", stages, at));
  await store.query(longAgo.add(pipeline, at));
  const [job] = await store.query<{ id: string; claim_token: string }>(
    longAgo.claim(workerId, stages, 1, at),
  );
  if (job === undefined) throw new Error(`There is no job of ${pipeline} to claim.`);
  await store.query(longAgo.begin(job.id, job.claim_token, "mail", at));
  await store.query(longAgo.finish(job.id, job.claim_token, "mail", at));
  await store.query(longAgo.complete(job.id, job.claim_token, at));
}
