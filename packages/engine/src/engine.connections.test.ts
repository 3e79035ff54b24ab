// In real time: a worker makes connections of its own.
import { testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { createEngine } from "./engine.ts";
import type { EngineOptions } from "./engine-config.ts";
import { definePipeline } from "./jobs/pipelines/pipeline.ts";

const db = testDatabase();
const { hostname: host, port, username, password, pathname } = new URL(db.url);
const place = { host, port: Number(port), user: decodeURIComponent(username), database: pathname.slice(1) };
const greeting = definePipeline<{ name: string }>("greeting").stage(
  "greet",
  ({ payload }) => `Hello, ${payload.name}!`,
);
const soon = { timeout: 30_000 };

function engineWith(options: EngineOptions) {
  const engine = createEngine({ pipelines: [greeting], logger: null, ...options });
  onTestFinished(() => engine.stop());
  return engine;
}

async function names(): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name not like 'lockstep tests%' order by 1`,
  );
  return rows.map(({ name }) => name);
}

test("with a pool, jobs go through it, and only what needs its own connection has one", async () => {
  const pool = new pg.Pool({
    ...place,
    password: decodeURIComponent(password),
    application_name: "their pool",
  });
  onTestFinished(() => pool.end());
  const engine = engineWith({ pool });
  expect(await engine.migrate()).toMatchObject({ migrations: [] });
  await engine.start();
  const { id } = await engine.add(greeting, { name: "Ada" });
  expect(await engine.result(id)).toBe("Hello, Ada!");
  const own = ["lockstep heartbeat", "lockstep listener", "lockstep upkeep"];
  await expect.poll(names, soon).toEqual([...own, "their pool"]);
  expect(await engine.notifyLagMs()).not.toBeNull();
  expect((await engine.diagnose()).filter(({ check }) => check === "listen and notify")).toMatchObject([
    { severity: "ok" },
  ]);
  await engine.stop();
  await expect.poll(names, soon).toEqual(["their pool"]);
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("with a password function, every connection asks it, and one that fails is asked again", async () => {
  let asked = 0;
  let isAway = true;
  const engine = engineWith({
    connection: {
      ...place,
      password: async (request) => {
        expect(request).toEqual(place);
        asked += 1;
        if (isAway) throw new Error("no token today");
        return decodeURIComponent(password);
      },
    },
  });
  await expect(engine.stats()).rejects.toThrow(
    "The password function of the connection has failed (no token today): it is asked again at the next try.",
  );
  const starting = engine.start();
  isAway = false;
  await starting;
  const { id } = await engine.add(greeting, { name: "Bob" });
  expect(await engine.result(id)).toBe("Hello, Bob!");
  await expect.poll(names, soon).toContain("lockstep heartbeat");
  const before = asked;
  await db.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like 'lockstep %' and application_name not like 'lockstep tests%'",
  );
  const later = await engine
    .add(greeting, { name: "Eve" })
    .catch(() => engine.add(greeting, { name: "Eve" }));
  expect(await engine.result(later.id)).toBe("Hello, Eve!");
  expect(asked).toBeGreaterThan(before);
});
