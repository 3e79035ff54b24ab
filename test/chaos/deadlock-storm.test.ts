// In real time: the subject is what PostgreSQL's deadlock detector finds, and when.
import { randomUUID } from "node:crypto";
import { testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline } from "lockstep";
import { expect, onTestFinished, test } from "vitest";
import { sqlFunction } from "../../packages/engine/src/store/call-function.ts";
import { Database } from "../../packages/engine/src/store/database.ts";
import { until } from "../scenarios/until.ts";
import { meetCrosswise } from "./crosswise.ts";

const db = testDatabase();
const stormMs = 3_000;
const jobCount = 300;

const functions = {
  sweep: sqlFunction("sweep_lost_workers", ["p_cancel_grace"]),
  retention: sqlFunction("delete_finished_jobs", ["p_keep_completed", "p_keep_unsuccessful"]),
  effects: sqlFunction("delete_effects", ["p_keep"]),
  fold: sqlFunction("fold_counters", []),
};

test("eight sweepers, eight pruners, bulk cancels and retries and four workers and a stranger who locks jobs backwards meet, and none of ours is told of a deadlock", async () => {
  const name = new URL(db.url).pathname.slice(1);
  await db.query(`alter database ${name} set deadlock_timeout = '200ms'`);
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
  const added = await client.addMany(
    letters,
    Array.from({ length: jobCount }, (_, n) => ({ payload: n, owner: `owner-${n % 3}` })),
  );
  const errors: unknown[] = [];
  for (const engine of engines) {
    engine.on("engine.error", ({ error }) => errors.push(error));
    engine.on("database.down", ({ error }) => errors.push(error));
    await engine.start();
  }
  const store = new Database({
    url: db.url,
    connections: 16,
    transactionPooler: false,
    applicationName: "storm",
    onDown: (error) => errors.push(error),
    onUp: () => {},
  });
  onTestFinished(() => store.close({ sleep: async () => {} }));

  await db.call("define_pipeline", { p_name: "parcels", p_stages: [{ name: "send" }] });
  const crossing = { store, stranger: await db.connect(), watcher: await db.connect() };
  let meetings = 0;
  let strangersOwn = 0;
  const endMs = performance.now() + stormMs;
  const storm = (act: () => Promise<unknown>) =>
    (async () => {
      while (performance.now() < endMs) await act().catch((error) => errors.push(error));
    })();
  await Promise.all([
    ...Array.from({ length: 8 }, () => storm(() => store.query(functions.sweep("1 millisecond")))),
    ...Array.from({ length: 8 }, (_, n) =>
      storm(async () => {
        if (n % 2 === 0) await store.query(functions.retention("0", "0"));
        else await store.query(functions.effects("0"));
        await store.query(functions.fold());
      }),
    ),
    // Dies again and again, with whatever it has claimed.
    storm(async () => {
      const workerId = randomUUID();
      await db.query("select lockstep.register_worker($1, 'dying', '1 minute', '{letters/write}')", [
        workerId,
      ]);
      await db.query("select * from lockstep.claim_jobs($1, '{letters/write}', 20)", [workerId]);
      await db.query("update lockstep.workers set lease_until = now() where id = $1", [workerId]);
    }),
    // Ours lock jobs in the order of their ids, and hardly ever meet crosswise by themselves.
    storm(async () => {
      meetings += 1;
      if (await meetCrosswise(crossing, "parcels")) strangersOwn += 1;
    }),
    ...(["cancel", "retry"] as const).map((action) =>
      storm(async () => {
        const { id } = await client.bulk.start({ action, filter: { pipeline: "letters" } });
        while ((await client.bulk.step(id))?.status === "running" && performance.now() < endMs);
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

  const [{ jobs } = { jobs: 0 }] = await db.query<{ jobs: number }>(
    `select (select count(*) from lockstep.jobs)::integer + (select count(*) from lockstep.finished_jobs)::integer as jobs`,
  );
  expect(jobs).toBe(added.length + 2 * meetings);
  expect(await db.call("verify")).toEqual([]);
});

/** Long enough to be cancelled or swept meanwhile; now and then in vain. */
async function work(): Promise<number> {
  const chance = Math.random();
  await new Promise((resolve) => setTimeout(resolve, chance * 40));
  if (chance < 0.2) throw new Error("in vain");
  return 1;
}
