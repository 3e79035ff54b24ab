// In real time where connections end: PostgreSQL and sockets have no other.
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { ManualClock, testDatabase, untilBlocked } from "@lockstep/test-support";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { Database, type DatabaseOptions, RolledBack, type Statement } from "./database.ts";
import { DatabaseUnavailableError, RefusedError } from "./database-error.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const db = testDatabase();

function aDatabase(options: Partial<DatabaseOptions> = {}) {
  const told: string[] = [];
  const database = new Database({
    target: targetAt(db.url),
    connections: 2,
    transactionPooler: false,
    applicationName: "lockstep database test",
    outages: { begun: () => 0, succeeded: () => {}, failed: (_, error) => void told.push(error.message) },
    ...options,
  });
  onTestFinished(() => database.close(systemClock));
  return { database, told };
}

function sql(text: string, ...values: unknown[]): Statement {
  return { name: text.slice(0, 60), text, values };
}

/** Ends all connections of the database under test, and waits until they are gone. */
async function killBackends(): Promise<number> {
  const [row] = await db.query<{ killed: number }>(
    `select count(pg_terminate_backend(pid, 5000))::integer as killed
     from pg_stat_activity where datname = current_database() and application_name = 'lockstep database test'`,
  );
  return row?.killed ?? 0;
}

beforeAll(async () => {
  await db.query("create table things (id integer primary key, text text)");
  // What a sequence counts stays counted when the call is rolled back.
  await db.query("create sequence calls");
  await db.query(
    `create function fail_until(p_call bigint, p_code text) returns bigint language plpgsql as $$
     declare v_call bigint := nextval('calls');
     begin
       if v_call < p_call then raise exception 'not yet' using errcode = p_code; end if;
       return v_call;
     end $$`,
  );
});

async function callsFromZero(): Promise<() => Promise<number>> {
  await db.query("select setval('calls', 1, false)");
  return async () => {
    const [row] = await db.query<{ calls: number }>(
      "select (last_value - 1 + is_called::integer)::integer as calls from calls",
    );
    return row?.calls ?? 0;
  };
}

describe("statements", () => {
  test("a query gives its rows", async () => {
    const { database } = aDatabase();
    expect(await database.query(sql("select $1::integer + 1 as n", 4))).toEqual([{ n: 5 }]);
  });

  test("a transaction commits all of its statements", async () => {
    const { database } = aDatabase();
    const answer = await database.transaction(async (query) => {
      await query(sql("insert into things values (1, 'a')"));
      await query(sql("insert into things values (2, 'b')"));
      return "both";
    });
    expect(answer).toBe("both");
    expect(await db.query("select id from things order by id")).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test("a transaction that fails leaves nothing behind, and its connection is not used again", async () => {
    const { database } = aDatabase({ connections: 1 });
    const failed = database.transaction(async (query) => {
      await query(sql("insert into things values (9, 'x')"));
      await query(sql("select 1 / 0"));
    });
    await expect(failed).rejects.toMatchObject({ code: "22012" });
    expect(await database.query(sql("select * from things where id = 9"))).toEqual([]);
  });

  test("a transaction that its caller breaks off leaves nothing behind, and its connection goes on", async () => {
    const { database } = aDatabase({ connections: 1 });
    const pid = () => database.query(sql("select pg_backend_pid() as pid"));
    const before = await pid();
    const why = new Error("on second thoughts");
    const brokenOff = database.transaction(async (query) => {
      await query(sql("insert into things values (9, 'x')"));
      throw new RolledBack(why);
    });
    await expect(brokenOff).rejects.toBe(why);
    expect(await database.query(sql("select * from things where id = 9"))).toEqual([]);
    expect(await pid()).toEqual(before);
  });

  test("a refusal of ours comes as a RefusedError, any other error as it is", async () => {
    const { database, told } = aDatabase();
    const refused = database.query(sql("select * from lockstep.pause_stage('none', 'none')"));
    await expect(refused).rejects.toThrow(RefusedError);
    await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^LS\d{3}$/) });
    await expect(database.query(sql("select 1 / 0"))).rejects.toMatchObject({ code: "22012" });
    expect(told).toEqual([]);
  });

  test("a slow statement ends on the server, before the client gives up on it", async () => {
    const { database } = aDatabase();
    const [row] = await database.query(
      sql(
        "select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock",
      ),
    );
    expect(row).toEqual({ statement: "10s", lock: "5s" });
  });

  test("statements are prepared once per connection; through a transaction pooler they have no name", async () => {
    const prepared = sql(
      "select count(*)::integer as count from pg_prepared_statements where name like 'select count%'",
    );
    const direct = aDatabase({ connections: 1 }).database;
    await direct.query(prepared);
    expect(await direct.query(prepared)).toEqual([{ count: 1 }]);
    const pooled = aDatabase({ connections: 1, transactionPooler: true }).database;
    await pooled.query(prepared);
    expect(await pooled.query(prepared)).toEqual([{ count: 0 }]);
    expect(await pooled.query(sql("select current_setting('statement_timeout') as value"))).toEqual([
      { value: "0" },
    ]);
  });
});

describe("a call that PostgreSQL asks to have again", () => {
  test.each(["40001", "40P01", "55P03"])(
    "with %s is sent again whole until it goes through",
    async (code) => {
      const { database, told } = aDatabase();
      const calls = await callsFromZero();
      expect(await database.query(sql("select fail_until(3, $1) as call", code))).toEqual([{ call: "3" }]);
      expect(await calls()).toBe(3);
      expect(told).toEqual([]);
    },
  );

  test("in a transaction begins again from its first statement", async () => {
    const { database } = aDatabase();
    await callsFromZero();
    let begun = 0;
    await database.transaction(async (query) => {
      begun += 1;
      await query(sql("insert into things values ($1, 'once')", 20 + begun));
      await query(sql("select fail_until(3, '40001')"));
    });
    expect(await db.query("select id from things where text = 'once'")).toEqual([{ id: 23 }]);
  });

  test("is given up after five more attempts, as something that may go through later", async () => {
    const { database } = aDatabase();
    const calls = await callsFromZero();
    const failed = database.query(sql("select fail_until(1000, '40001')"));
    await expect(failed).rejects.toThrow(DatabaseUnavailableError);
    expect(await calls()).toBe(6);
  });

  test("after a real deadlock goes through on the second attempt", async () => {
    await db.query("insert into things values (31, ''), (32, '')");
    const { database } = aDatabase();
    const other = await db.connect();
    await other.query("set deadlock_timeout = '60s'");
    await other.query("begin");
    await other.query("update things set text = 'theirs' where id = 32");
    let begun = 0;
    const ours = database.transaction(async (query) => {
      begun += 1;
      if (begun === 1) await query(sql("set local deadlock_timeout = '20ms'"));
      await query(sql("update things set text = text || 'ours' where id = 31"));
      await query(sql("update things set text = text || ' and ours' where id = 32"));
    });
    await untilBlocked(db);
    await other.query("update things set text = 'theirs' where id = 31");
    await other.query("commit");
    await ours;
    expect(begun).toBe(2);
    expect(await db.query("select text from things where id in (31, 32)")).toEqual([
      { text: "theirsours" },
      { text: "theirs and ours" },
    ]);
  });
});

describe("when connections break", () => {
  test("while idle, the process lives and the next call opens a new one", async () => {
    const { database } = aDatabase();
    await database.query(sql("select 1"));
    expect(await killBackends()).toBe(1);
    // The news may reach the pool with the next call, which may then fail once.
    await database.query(sql("select 1")).catch(() => {});
    expect(await database.query(sql("select 2 as n"))).toEqual([{ n: 2 }]);
  });

  test("while checked out, its holder is told, and the process lives", async () => {
    const { database, told } = aDatabase();
    const broken = database.transaction(async (query) => {
      await query(sql("select 1"));
      await killBackends();
      await query(sql("select 2"));
    });
    await expect(broken).rejects.toThrow(DatabaseUnavailableError);
    expect(told).toEqual([expect.stringContaining("cannot be used at the moment")]);
    await database.query(sql("select 1"));
  });

  test("during a statement, its caller is told", async () => {
    const { database } = aDatabase();
    const broken = database.query(sql("select pg_sleep(30)")).catch((error) => error);
    await expect
      .poll(
        () =>
          db.query("select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'"),
        soon,
      )
      .toHaveLength(1);
    await killBackends();
    expect(await broken).toBeInstanceOf(DatabaseUnavailableError);
  });

  test("when one goes silent, its statement has an end, and its place is free again", async () => {
    const network = await aNetwork();
    const { database } = aDatabase({
      target: targetAt(network.url),
      connections: 1,
      statementTimeoutMs: 100,
    });
    await database.query(sql("select 1"));
    network.isSilent = true;
    await expect(database.query(sql("select 2"))).rejects.toThrow(DatabaseUnavailableError);
    network.isSilent = false;
    expect(await database.query(sql("select 3 as n"))).toEqual([{ n: 3 }]);
  });
});

/** The way to the server, which may carry no answers for a while and not say so. */
test("a session has what it needs, whatever its role has", async () => {
  const odd =
    "-c statement_timeout=1 -c lock_timeout=1 -c idle_session_timeout=1 -c idle_in_transaction_session_timeout=1 " +
    "-c default_transaction_isolation=serializable -c DateStyle=German";
  const target = targetAt(`${db.url}?options=${encodeURIComponent(odd)}`);
  const names = odd.match(/\w+(?==)/g) ?? [];
  const settings = async (options: Partial<DatabaseOptions>) => {
    const text = "select name, current_setting(name) as value from unnest($1::text[]) as name";
    const rows = await aDatabase({ target, ...options }).database.query<{ name: string; value: string }>(
      sql(text, [...names, "default_transaction_read_only"]),
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  };
  const usual = {
    statement_timeout: "10s",
    lock_timeout: "5s",
    idle_session_timeout: "0",
    idle_in_transaction_session_timeout: "30s",
    default_transaction_isolation: "read committed",
    DateStyle: "ISO, MDY",
    default_transaction_read_only: "off",
  };
  expect(await settings({})).toEqual(usual);
  expect(await settings({ isReadOnly: true, statementTimeoutMs: 2_000 })).toEqual({
    ...usual,
    statement_timeout: "2s",
    default_transaction_read_only: "on",
  });
});

async function aNetwork(): Promise<{ url: string; isSilent: boolean }> {
  const target = new URL(db.url);
  const network = { url: "", isSilent: false };
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    client.on("data", (bytes) => void upstream.write(bytes));
    upstream.on("data", (bytes) => void (network.isSilent || client.write(bytes)));
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on("error", () => other.destroy());
      socket.on("close", () => other.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  network.url = Object.assign(new URL(db.url), { port: String((server.address() as AddressInfo).port) }).href;
  return network;
}

describe("a database that cannot be used says why", () => {
  function changedUrl(
    change: Partial<Record<"hostname" | "port" | "username" | "pathname", string>>,
  ): string {
    return Object.assign(new URL(db.url), change).href;
  }

  async function freePort(): Promise<string> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    return String(port);
  }

  test.each<[string, () => Promise<string> | string, RegExp]>([
    [
      "nobody listens there",
      async () => changedUrl({ port: await freePort() }),
      /nothing listens where databaseUrl or connection points/,
    ],
    // A label of 64 letters is no host name anywhere, so that no name server is asked.
    ["an unknown host", () => changedUrl({ hostname: "a".repeat(64) }), /host is unknown/],
    [
      "a user or password that is wrong",
      () => changedUrl({ username: "nobody_of_ours" }),
      /refuses this user/,
    ],
    ["a missing database", () => changedUrl({ pathname: "/no_such_database" }), /has no such database/],
  ])("%s", async (_what, url, sentence) => {
    const { database, told } = aDatabase({ target: targetAt(await url()) });
    const failed = database.query(sql("select 1"));
    await expect(failed).rejects.toThrow(DatabaseUnavailableError);
    await expect(failed).rejects.toThrow(sentence);
    expect(told).toEqual([expect.stringMatching(sentence)]);
  });

  test("a right that is missing", async () => {
    await db.query("create role lockstep_database_test login");
    onTestFinished(async () => {
      await db.query("drop role lockstep_database_test");
    });
    const { database } = aDatabase({ connections: 1 });
    await database.query(sql("set role lockstep_database_test"));
    const failed = database.query(sql("select * from lockstep.verify()"));
    await expect(failed).rejects.toThrow(
      /refuses this user a right it needs \(permission denied.*grant it the role/,
    );
    await expect(failed).rejects.toMatchObject({ isFinal: true });
  });
});

describe("closing", () => {
  test("with a statement that hangs does not wait for its end, and that statement fails", async () => {
    const { database } = aDatabase();
    const hanging = database.query(sql("select pg_sleep(300)")).catch((error) => error);
    const asleep = () =>
      db.query("select from pg_stat_activity where query like 'select pg_sleep%' and state = 'active'");
    await expect.poll(asleep, soon).toHaveLength(1);
    await database.close(systemClock);
    expect(await asleep()).toHaveLength(1);
    expect(await hanging).toBeInstanceOf(DatabaseUnavailableError);
    await db.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep%'",
    );
  });

  test("lets what is about to end come to its end", async () => {
    const { database } = aDatabase();
    const ending = database.query(sql("select pg_sleep(0.1)::text as slept"));
    await expect
      .poll(
        () => db.query("select from pg_stat_activity where query like '%0.1)%as slept' and state = 'active'"),
        {
          interval: 5,
        },
      )
      .not.toHaveLength(0);
    await database.close(systemClock);
    expect(await ending).toHaveLength(1);
  });

  test("without anything open, and twice, is at once", async () => {
    const { database } = aDatabase();
    // Whoever slept by it would never come to an end.
    const clock = new ManualClock();
    await database.close(clock);
    await database.close(clock);
  });

  test("leaves one sentence for whoever still asks, and nothing is said to be down", async () => {
    const { database, told } = aDatabase();
    await database.close(systemClock);
    for (const late of [database.query(sql("select 1")), database.transaction(async () => 1)]) {
      await expect(late).rejects.toThrow(/^This engine was stopped and has closed its connections/);
      await expect(late).rejects.toMatchObject({ isFinal: true });
    }
    expect(told).toEqual([]);
  });
});
