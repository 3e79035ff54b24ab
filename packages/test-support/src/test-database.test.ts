import pg from "pg";
import { beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { refuseOpenConnections } from "./open-connections.ts";
import { testDatabase } from "./test-database.ts";

const db = testDatabase();

beforeAll(async () => {
  await db.query(`
    create function lockstep.echo_for_test(
      p_json jsonb default null, p_words text[] default null, p_numbers integer[] default null,
      p_ids uuid[] default null, p_items jsonb[] default null, p_count integer default 7)
    returns table ("json" jsonb, words text[], numbers integer[], ids uuid[], items jsonb[], count integer)
    language sql as 'select p_json, p_words, p_numbers, p_ids, p_items, p_count'`);
  await db.query(
    "create function lockstep.double_for_test(p_number integer) returns integer language sql as 'select p_number * 2'",
  );
});

beforeEach(() => db.reset());

const worker = "00000000-0000-4000-8000-000000000001";

async function givenWorker(): Promise<void> {
  await db.query(
    `insert into lockstep.workers (id, name, started_at, heartbeat_at, lease, lease_until)
     values ($1, 'w', '2026-01-01 12:00Z', '2026-01-01 12:00Z', '30 s', '2026-01-01 12:00:30Z')`,
    [worker],
  );
}

describe("a test database", () => {
  test("is a migrated clone of its own", async () => {
    const [row] = await db.query<{ name: string; jobs: string }>(
      "select current_database() as name, to_regclass('lockstep.jobs')::text as jobs",
    );
    expect(row?.name).toMatch(new RegExp(`^${inject("templateName")}_`));
    expect(row?.jobs).toBe("lockstep.jobs");
  });

  test("calls a function with JSON and with arrays of other types", async () => {
    const [row] = await db.call("echo_for_test", {
      p_json: [{ a: 1 }, "two"],
      p_words: ["a,b", 'c"d'],
      p_numbers: [1, 2],
      p_ids: [worker],
      p_items: [{ a: [1] }, "x"],
    });
    expect(row).toEqual({
      json: [{ a: 1 }, "two"],
      words: ["a,b", 'c"d'],
      numbers: [1, 2],
      ids: [worker],
      items: [{ a: [1] }, "x"],
      count: 7,
    });
  });

  test("sends a plain string as JSON where JSON is asked for", async () => {
    expect(await db.call("echo_for_test", { p_json: "plain", p_count: undefined })).toMatchObject([
      { json: "plain", count: 7 },
    ]);
  });

  test("names the arguments there are when one is unknown", async () => {
    await expect(db.call("echo_for_test", { p_jason: 1 })).rejects.toThrow(
      /no argument p_jason, only p_json, p_words/,
    );
  });

  test("gives the single value of a function", async () => {
    expect(await db.value("double_for_test", { p_number: 21 })).toBe(42);
  });

  test("makes stored instants older", async () => {
    await givenWorker();
    await db.timePasses(60_500);
    const [row] = await db.query<{ started_at: Date; lease_until: Date }>(
      "select started_at, lease_until from lockstep.workers",
    );
    expect(row?.started_at.toISOString()).toBe("2026-01-01T11:58:59.500Z");
    expect(row?.lease_until.toISOString()).toBe("2026-01-01T11:59:29.500Z");
  });

  test("is as new after a reset", async () => {
    await givenWorker();
    await db.query("update lockstep.upkeep set done_at = now()");
    await db.query("insert into lockstep.pipelines (name) values ('p')");
    await db.reset();
    expect(
      await db.query("select 1 from lockstep.workers union all select 1 from lockstep.pipelines"),
    ).toEqual([]);
    expect(await db.query("select task from lockstep.upkeep where task = 'sweep'")).toHaveLength(1);
    expect(await db.query("select distinct done_at::text from lockstep.upkeep")).toEqual([
      { done_at: "-infinity" },
    ]);
  });

  test("opens further connections to itself", async () => {
    const [first, second] = [await db.connect(), await db.connect()];
    const pid = async (client: pg.Client) =>
      (await client.query("select pg_backend_pid() as pid")).rows[0].pid;
    expect(await pid(first)).not.toBe(await pid(second));
  });

  test("names whoever is still connected when its file ends", async () => {
    const [row] = await db.query<{ name: string }>("select current_database() as name");
    const admin = new pg.Client({ connectionString: inject("serverUrl") });
    await admin.connect();
    const forgotten = new pg.Client({ connectionString: db.url, application_name: "forgotten pool" });
    await forgotten.connect();
    await forgotten.query("select 'the last thing it asked'");
    try {
      await expect(refuseOpenConnections(admin, row?.name ?? "")).rejects.toThrow(
        /forgotten pool \(idle\), last query: select 'the last thing it asked'/,
      );
    } finally {
      await forgotten.end();
      await admin.end();
    }
  });
});
