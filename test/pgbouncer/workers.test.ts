// In real time: leases, kills and real processes, through a real PgBouncer.
import { createEngine, type EngineOptions, JobCancelledError } from "lockstep";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { endLease } from "../scenarios/processes/end-lease.ts";
import { longLease } from "../scenarios/processes/long-lease.ts";
import { startWorker } from "../scenarios/processes/worker-process.ts";
import { holderOf } from "../scenarios/stories/holder-of.ts";
import { storyEngine } from "../scenarios/stories/story-engine.ts";
import { storyPipelines } from "../scenarios/stories/story-pipelines.ts";
import { until } from "../scenarios/stories/until.ts";
import { describeThroughPgBouncer, pooledDatabase } from "./pooled-database.ts";

const { relay, errand } = storyPipelines();

describeThroughPgBouncer("through PgBouncer in transaction mode", () => {
  const db = pooledDatabase();

  describe.each([
    { way: "with a direct URL for LISTEN", hears: true },
    { way: "by polling alone", hears: false },
  ])("$way", ({ hears }) => {
    function settings(): Omit<EngineOptions, "databaseUrl" | "pipelines"> {
      return { transactionPooler: true, listenUrl: hears ? db.direct.url : null, pollIntervalMs: 200 };
    }

    test("two workers run each stage of each job exactly once, however the jobs are added", async () => {
      const client = storyEngine(db, settings());
      const workers = await Promise.all([
        startWorker(db, { pipelines: ["relay"], settings: settings() }),
        startWorker(db, { pipelines: ["relay"], settings: settings() }),
      ]);
      const payloads = (length: number) => Array.from({ length }, () => ({ payload: {} }));
      const added = [
        // In one call, in two at once of which each has several statements in its transaction, gathered, one by one.
        ...(await client.addMany(relay, payloads(100))),
        ...(
          await Promise.all([client.addMany(relay, payloads(1_100)), client.addMany(relay, payloads(1_100))])
        ).flat(),
        ...(await Promise.all(Array.from({ length: 200 }, () => client.add(relay, {})))),
        await client.add(relay, {}),
        await client.add(relay, {}, { dedupKey: "one" }),
      ];
      const ids = added.map(({ id }) => id);
      await until(
        "no job is left",
        async () => (await db.direct.query("select from lockstep.jobs limit 1")).length === 0,
      );
      for (const worker of workers) worker.kill("SIGTERM");
      const ends = await Promise.all(workers.map(({ ended }) => ended));

      const runs = workers.flatMap(({ events }) =>
        events.all("job.log").map(({ jobId, stage }) => `${jobId}/${stage}`),
      );
      const wanted = ids.flatMap((id) => ["collect", "shape", "deliver"].map((stage) => `${id}/${stage}`));
      expect(runs.sort()).toEqual(wanted.sort());
      expect(ends.map(({ code }) => code)).toEqual([0, 0]);
      expect(workers.flatMap(({ events }) => events.all("engine.error"))).toEqual([]);
    });

    test("an idle worker finds a job", async () => {
      const client = storyEngine(db, settings());
      const worker = await startWorker(db, { settings: settings() });
      const { id } = await client.add(errand, { do: "answer" });
      expect(await client.result(id, { timeoutMs: 60_000 })).toEqual({ pid: worker.pid });
    });

    test("by several hosts, a password function or a pool, a worker runs a job", async () => {
      const { host, port, username: user, password, pathname } = new URL(db.url);
      const place = { host: host.split(":")[0] ?? "", port: Number(port) };
      const known = { user: decodeURIComponent(user), database: pathname.slice(1) };
      const pool = new pg.Pool({ connectionString: db.url, connectionTimeoutMillis: 30_000 });
      onTestFinished(() => pool.end());
      const ways: EngineOptions[] = [
        // The first port of all has no listener.
        { databaseUrl: db.url.replace("@", "@127.0.0.1:1,") },
        { connection: { ...known, ...place, password: async () => decodeURIComponent(password) } },
        { pool },
      ];
      for (const way of ways) {
        const engine = createEngine({ ...settings(), ...way, pipelines: [errand], logger: null });
        onTestFinished(() => engine.stop());
        expect(await engine.migrate()).toMatchObject({ migrations: [] });
        await engine.start();
        const { id } = await engine.add(errand, { do: "answer" });
        expect(await engine.result(id, { timeoutMs: 60_000 })).toEqual({ pid: process.pid });
        const { rows } = await pool.query("select name from pg_prepared_statements");
        expect(rows).toEqual([]);
        await engine.stop();
      }
    });

    test("a cancel reaches the handler", async () => {
      const client = storyEngine(db, settings());
      const worker = await startWorker(db, { settings: { ...settings(), ...longLease } });
      const { id } = await client.add(errand, { do: "wait" });
      await worker.events.next("job.started");
      expect(await client.cancel(id)).toBe("cancel_requested");
      await worker.events.next("job.log", ({ message }) => message === "aborted");
      await expect(client.result(id, { timeoutMs: 60_000 })).rejects.toThrow(JobCancelledError);
    });

    test("the job of a worker killed mid-stage is done by another", async () => {
      const client = storyEngine(db, settings());
      const long = { ...settings(), ...longLease };
      const workers = await Promise.all([
        startWorker(db, { pipelines: ["relay"], settings: long }),
        startWorker(db, { pipelines: ["relay"], settings: long }),
      ]);
      const { id } = await client.add(relay, { shape: { do: "wait" } });
      const { holder, other } = await holderOf(client, id, "shape", workers);
      holder.kill("SIGKILL");
      await endLease(db.direct, holder);
      await other.events.next("job.started", ({ jobId, stage }) => jobId === id && stage === "shape");
      other.finish(id);
      await client.result(id, { timeoutMs: 60_000 });
      expect((await client.get(id))?.attempts.map(({ stage, outcome }) => [stage, outcome])).toEqual([
        ["collect", "done"],
        ["shape", "lost"],
        ["shape", "done"],
        ["deliver", "done"],
      ]);
    });
  });
});
