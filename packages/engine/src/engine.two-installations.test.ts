// Two schemas in one database, each with its own workers: what happens in one is nothing to the other.
import { randomBytes, randomUUID } from "node:crypto";
import { migrate } from "@lockstep/database";
import { recordEvents, testDatabase } from "@lockstep/test-support";
import { createEngine, definePipeline, type Engine, type EngineOptions } from "lockstep";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

const db = testDatabase();
const one = "lockstep";
// Roles belong to the server: those of this name come and go with this file.
const other = `other_${randomBytes(4).toString("hex")}`;
const roles = ["viewer", "producer", "operator", "worker"].map((role) => `${other}_${role}`);

beforeAll(async () => {
  await migrate({ databaseUrl: db.url, schema: other });
});

afterAll(async () => {
  await db.query(`drop schema if exists ${other} cascade`);
  for (const role of roles) await db.query(`drop role ${role}`);
});

interface Held {
  readonly schema: string;
  readonly signal: AbortSignal;
  readonly finish: () => void;
}

/** The same pipeline in each, as if two teams had the same idea. Its jobs are held until the test lets them go. */
function installation(schema: string, options: Partial<EngineOptions> = {}) {
  const held: Held[] = [];
  const orders = definePipeline<{ from: string }>("orders", { maxPending: 100, events: true }).stage(
    "pack",
    { concurrency: 1, retry: () => 0 },
    async ({ payload, signal }) => {
      if (payload.from === "held") {
        await new Promise<void>((finish) => {
          held.push({ schema, signal, finish });
          signal.addEventListener("abort", () => finish(), { once: true });
        });
        signal.throwIfAborted();
      }
      return { packedIn: schema, from: payload.from };
    },
  );
  const engine = createEngine({
    databaseUrl: db.url,
    schema,
    pipelines: [orders],
    logger: null,
    sweepIntervalMs: 100,
    ...options,
  });
  onTestFinished(() => engine.stop());
  return { engine, orders, held, events: recordEvents(engine) };
}

const ofBoth = async <T>(ask: (schema: string) => Promise<T>) => [await ask(one), await ask(other)];
const soon = { timeout: 25_000 };

describe("work in one of two installations", () => {
  test("is done there: same pipelines, same ids, same keys, two jobs", async () => {
    const [here, there] = [installation(one), installation(other)];
    await Promise.all([here.engine.start(), there.engine.start()]);
    const id = randomUUID();
    const options = { id, dedupKey: "the same" };
    expect(await here.engine.add(here.orders, { from: "here" }, options)).toMatchObject({ created: true });
    expect(await there.engine.add(there.orders, { from: "there" }, options)).toMatchObject({ created: true });
    expect(await here.engine.result(id as never)).toEqual({ packedIn: one, from: "here" });
    expect(await there.engine.result(id as never)).toEqual({ packedIn: other, from: "there" });
    for (const { engine } of [here, there]) {
      expect(await engine.list({})).toHaveLength(1);
      expect((await engine.workers()).filter(({ isAlive }) => isAlive)).toHaveLength(1);
      expect(await engine.verify()).toEqual([]);
    }
  });

  test("takes no slot of a limit in the other, and a cancel reaches only its own job", async () => {
    const [here, there] = [installation(one), installation(other)];
    await Promise.all([here.engine.start(), there.engine.start()]);
    const added = await here.engine.add(here.orders, { from: "held" });
    const beside = await there.engine.add(there.orders, { from: "held" });
    // The concurrency of the stage is one, and both run.
    await expect.poll(() => [here.held.length, there.held.length], soon).toEqual([1, 1]);
    expect(await there.engine.cancel(added.id)).toBe("not_found");
    expect(await here.engine.cancel(added.id)).toBe("cancel_requested");
    await here.events.next("job.cancelled");
    expect(there.held[0]?.signal.aborted).toBe(false);
    there.held[0]?.finish();
    expect(await there.engine.result(beside.id)).toEqual({ packedIn: other, from: "held" });
  });

  test("is what its schedules, its log of events and its numbers are about", async () => {
    const [here, there] = [installation(one), installation(other)];
    await Promise.all([here.engine.start(), there.engine.start()]);
    const [hereAfter, thereAfter] = await Promise.all([
      here.engine.eventCursor(),
      there.engine.eventCursor(),
    ]);
    const before = (await there.engine.list({})).length;
    await here.engine.schedule("secondly", here.orders, { cron: "* * * * * *", payload: { from: "tick" } });
    const { jobId } = await here.events.next("schedule.fired");
    await here.events.next("job.completed", (event) => event.jobId === jobId);
    await here.engine.removeSchedule("secondly");
    expect(await there.engine.schedules()).toEqual([]);
    expect(await there.engine.list({})).toHaveLength(before);
    const pages = [
      await here.engine.reader().events({ after: hereAfter }),
      await there.engine.reader().events({ after: thereAfter }),
    ];
    expect(pages[0]?.events.some((event) => "jobId" in event && event.jobId === jobId)).toBe(true);
    expect(pages[1]?.events).toEqual([]);
    expect(await there.engine.get(jobId)).toBeNull();
  });

  test("is taken back by its own sweep, from a worker that is lost there", async () => {
    const [here, there] = [installation(one), installation(other)];
    const worker = randomUUID();
    for (const { engine, orders } of [here, there]) await engine.add(orders, { from: "lost" });
    for (const schema of [one, other]) {
      await db.query(`select ${schema}.register_worker($1, 'w', p_stages => '{orders/pack}')`, [worker]);
      const claimed = await db.query(`select id from ${schema}.claim_jobs($1, '{orders/pack}')`, [worker]);
      expect(claimed).toHaveLength(1);
    }
    await db.query(`update ${other}.workers set lease_until = now() - interval '1 minute' where id = $1`, [
      worker,
    ]);
    expect(await here.engine.resetStalled()).toBe(0);
    expect(await there.engine.resetStalled()).toBe(1);
    await db.query(`update ${one}.workers set lease_until = now() - interval '1 minute' where id = $1`, [
      worker,
    ]);
    expect(await here.engine.resetStalled()).toBe(1);
  });

  test("wakes nobody in the other, not even a worker of the same id", async () => {
    const [here, there] = [installation(one), installation(other)];
    const worker = randomUUID();
    const heard: string[] = [];
    const listener = await db.connect();
    listener.on("notification", ({ channel }) => heard.push(channel.replace(worker.replaceAll("-", ""), "")));
    for (const [{ engine, orders }, schema] of [
      [here, one],
      [there, other],
    ] as const) {
      // Makes the stage known.
      const { id } = await engine.add(orders, { from: "here" });
      await engine.cancel(id);
      await db.query(`select ${schema}.register_worker($1, 'w', p_stages => '{orders/pack}')`, [worker]);
      await db.query(
        `select ${schema}.wait_for_jobs($1, array(select s.id from ${schema}.stages s where s.name = 'pack'))`,
        [worker],
      );
      for (const channel of ["_", "_cancel_"]) {
        await listener.query(`listen ${schema}${channel}${worker.replaceAll("-", "")}`);
      }
    }
    await there.engine.add(there.orders, { from: "there" });
    await expect.poll(() => heard, soon).toContain(`${other}_`);
    await db.query(`select * from ${other}.claim_jobs($1, '{orders/pack}')`, [worker]);
    const [running] = await there.engine.list({ status: "processing" });
    await there.engine.cancel((running as { id: string }).id as never);
    await expect.poll(() => heard, soon).toContain(`${other}_cancel_`);
    // Notifications come in the order of their commits: this one after all others.
    await db.query(`select pg_notify('${one}_${worker.replaceAll("-", "")}', 'the last')`);
    await expect.poll(() => heard.at(-1), soon).toBe(`${one}_`);
    expect(new Set(heard.slice(0, -1))).toEqual(new Set([`${other}_`, `${other}_cancel_`]));
  });

  test("waits for none of the other's locks", async () => {
    const [here, there] = [installation(one), installation(other)];
    // A pipeline with maxPending: adds to it come one after the other.
    await here.engine.add(here.orders, { from: "here" });
    const holder = await db.connect();
    await holder.query("begin");
    await here.engine.add(here.orders, { from: "here" }, { tx: holder });
    const keyOf = (schema: string) =>
      `select state from ${schema}.claim_idempotency_key('ada', 'the same', 'hash')`;
    const states = async (client: Pick<pg.Client, "query">) =>
      ofBoth(async (schema) => (await client.query(keyOf(schema))).rows[0].state);
    expect((await holder.query(keyOf(one))).rows).toEqual([{ state: "claimed" }]);
    expect(await states(await db.connect())).toEqual(["in_use", "claimed"]);
    await holder.query("select pg_advisory_xact_lock(hashtextextended('lockstep.migrations', 0))");

    expect(await there.engine.add(there.orders, { from: "there" })).toMatchObject({ created: true });
    await db.query(`update ${other}.applied_functions set digest = 'of another release'`);
    expect(await there.engine.migrate()).toMatchObject({ functions: true, migrations: [] });
    await holder.query("rollback");
  });

  test("goes on while the other is migrated, dropped, and migrated again", async () => {
    const here = installation(one);
    await here.engine.start();
    const before = await here.engine.planMigration();
    const tables = `select c.relname, c.relfilenode from pg_class c where c.relnamespace = 'lockstep'::regnamespace order by 1`;
    const kept = await db.query(tables);
    let isOver = false;
    const adding = (async () => {
      let added = 0;
      for (; !isOver; added += 1) {
        const { id } = await here.engine.add(here.orders, { from: "here" });
        expect(await here.engine.result(id)).toEqual({ packedIn: one, from: "here" });
      }
      return added;
    })();
    await db.query(`drop schema ${other} cascade`);
    const there = installation(other);
    await expect(there.engine.stats()).rejects.toThrow(
      `The database has no Lockstep schema in ${other} yet: run \`await engine.migrate()\` or \`lockstep migrate --schema ${other}\` once.`,
    );
    expect(await there.engine.migrate()).toMatchObject({ functions: true });
    isOver = true;
    expect(await adding).toBeGreaterThan(0);
    expect(await here.engine.planMigration()).toEqual(before);
    expect(await db.query(tables)).toEqual(kept);
    expect(await here.engine.verify()).toEqual([]);
    await db.query(`drop schema ${other} cascade`);
    const { id } = await here.engine.add(here.orders, { from: "here" });
    expect(await here.engine.result(id)).toMatchObject({ packedIn: one });
    await migrate({ databaseUrl: db.url, schema: other });
  });
});

describe("a role of one installation", () => {
  test("may do nothing in the other", async () => {
    const client = await db.connect();
    const may = async (role: string, schema: string) => {
      await client.query(`set role ${role}`);
      const asked = client.query(`select * from ${schema}.queue_stats()`);
      const answer = await asked.then(
        () => "may",
        (error: Error) => error.message,
      );
      await client.query("reset role");
      return answer;
    };
    expect(await may(`${other}_worker`, other)).toBe("may");
    expect(await may(`${other}_worker`, one)).toBe(`permission denied for schema ${one}`);
    expect(await may("lockstep_worker", one)).toBe("may");
    expect(await may("lockstep_worker", other)).toBe(`permission denied for schema ${other}`);
  });
});

describe("an engine with another schema", () => {
  async function started(): Promise<ReturnType<typeof installation> & { engine: Engine }> {
    const there = installation(other, { heartbeatIntervalMs: 100 });
    await there.engine.start();
    return there;
  }

  test("renews its leases and does its upkeep there", async () => {
    const { engine, events } = await started();
    const { workerId } = await events.next("engine.started");
    const lease = async () =>
      (
        await db.query<{ until: Date }>(`select lease_until as until from ${other}.workers where id = $1`, [
          workerId,
        ])
      )[0]?.until.getTime() ?? 0;
    const first = await lease();
    await expect.poll(async () => (await lease()) - first, soon).toBeGreaterThan(300);
    const sweep = `select done_at from ${other}.upkeep where task = 'sweep'`;
    const [swept] = await db.query(sweep);
    await expect.poll(async () => (await db.query(sweep))[0], soon).not.toEqual(swept);
    expect(engine.health()).not.toBeNull();
  });

  test("ends stages and adds jobs in transactions of the caller's", async () => {
    const client = await db.connect();
    const letters = definePipeline("letters").stage("write", async ({ completeIn, assertLease }) => {
      await client.query("begin");
      await assertLease(client);
      const answer = await completeIn(client, "written");
      await client.query("commit");
      return answer;
    });
    const engine = createEngine({ databaseUrl: db.url, schema: other, pipelines: [letters], logger: null });
    onTestFinished(() => engine.stop());
    await client.query("begin");
    const { id } = await engine.add(letters, null, { tx: client });
    await client.query("commit");
    await engine.start();
    expect(await engine.result(id)).toBe("written");
  });

  test("says where it is in what it finds and explains", async () => {
    const { engine } = await started();
    await db.query(`drop index ${other}.claimable_in_turns`);
    await db.query(`alter table ${other}.jobs set (autovacuum_enabled = off)`);
    const findings = await engine.diagnose();
    const missing = findings.find(({ check }) => check === "missing indexes");
    expect(missing?.finding).toMatch(`index ${other}.claimable_in_turns is missing`);
    await db.query(missing?.repairSql ?? "");
    const vacuum = findings.find(({ check }) => check === "autovacuum of tables");
    expect(vacuum?.repairSql).toBe(`alter table "${other}".jobs reset (autovacuum_enabled);`);
    await db.query(vacuum?.repairSql ?? "");
    const after = await engine.diagnose();
    const [indexes] = after.filter(({ check }) => check === "missing indexes");
    expect(indexes?.severity).toBe("ok");
    expect(after.filter(({ finding }) => finding.includes("autovacuum is switched off for"))).toEqual([]);
    expect(await engine.metrics()).toMatch(/lockstep_workers/);
  });
});
