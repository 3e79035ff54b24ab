// In real time: the thread is a real one.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setImmediate } from "node:timers/promises";
import { connectionTarget } from "@lockstep/database/internal";
import { ManualClock, testDatabase } from "@lockstep/test-support";
import type pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Renewal, renewal } from "../../store/connections/heartbeat-connection.js";
import { targetAt } from "../../test-support/target-at.ts";
import { type Heartbeat, HeartbeatCompany } from "./heartbeat-company.ts";
import type { CompanySettings } from "./heartbeat-settings.ts";
import { LeaseMemory } from "./lease-memory.js";

const db = testDatabase();
// Generous: a busy machine starts a thread slowly.
const soon = { timeout: 10_000 };

interface Options {
  readonly clock?: ManualClock;
  readonly one?: Partial<Heartbeat>;
  readonly settings?: Partial<CompanySettings>;
}

function someSettings(settings: Partial<CompanySettings> = {}): CompanySettings {
  return {
    target: targetAt(db.url),
    renewal,
    transactionPooler: false,
    leaseMs: 900,
    heartbeatIntervalMs: 60,
    upkeepAfterMs: 5_000,
    frozenAfterMs: 300,
    doubtMs: 300,
    ...settings,
  };
}

function joined({ clock = new ManualClock(), one = {}, settings = {} }: Options = {}) {
  const memory = new LeaseMemory();
  memory.longestTimeoutMs = null;
  const failures: Error[] = [];
  const answers: Renewal[] = [];
  const heartbeat: Heartbeat = {
    workerId: randomUUID(),
    memory: memory.buffer,
    report: () => null,
    onAnswer: (answer) => answers.push(answer),
    onFailure: (error) => failures.push(error),
    ...one,
  };
  const company = HeartbeatCompany.join(clock, someSettings(settings), heartbeat);
  const leave = () => company.leave(heartbeat);
  onTestFinished(leave);
  return { workerId: heartbeat.workerId, company, leave, clock, failures, answers };
}

async function givenWorker(): Promise<string> {
  const workerId = randomUUID();
  await db.call("register_worker", { p_worker_id: workerId, p_name: "w", p_lease: "30 seconds" });
  return workerId;
}

async function connections(): Promise<number> {
  const backends = await db.query(
    "select 1 from pg_stat_activity where datname = current_database() and application_name = 'lockstep heartbeat'",
  );
  return backends.length;
}

test("a thread that dies is told of and started again after a second", async () => {
  const unusableMemory = new SharedArrayBuffer(4);
  const { clock, failures } = joined({ one: { memory: unusableMemory } });
  await clock.whenAsleep();
  expect(failures.map(({ message }) => message)).toEqual(["The heartbeat thread died and is started again."]);
  await clock.advance(999);
  expect(failures).toHaveLength(1);
  await clock.advance(1);
  await expect.poll(() => failures.length, soon).toBe(2);
});

test("a heartbeat that PostgreSQL refuses is told of", async () => {
  const { failures } = joined({ one: { workerId: "no uuid" } });
  await expect.poll(() => failures.length, soon).toBeGreaterThan(1);
  expect(failures[0]).toMatchObject({ code: "22P02" });
});

test("an outage is not told of here", async () => {
  let tries = 0;
  const server = createServer((socket) => {
    tries += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const databaseUrl = `postgres://nobody@127.0.0.1:${port}/none`;
  const { failures, answers } = joined({ settings: { target: targetAt(databaseUrl) } });
  await expect.poll(() => tries, soon).toBeGreaterThan(2);
  expect({ failures, answers }).toEqual({ failures: [], answers: [] });
});

describe("with a password function", () => {
  async function joinedWithPassword() {
    const { host, port, username, password, pathname } = new URL(db.url);
    let asked = 0;
    const target = connectionTarget(
      {
        connection: {
          host: host.split(":")[0],
          port: Number(port),
          user: decodeURIComponent(username),
          database: pathname.slice(1),
          password: async () => {
            asked += 1;
            if (asked === 2) throw new Error("no token now");
            return decodeURIComponent(password);
          },
        },
      },
      (sentence) => new Error(sentence),
    );
    const member = joined({ settings: { target }, one: { workerId: await givenWorker() } });
    await expect.poll(() => member.answers.length, soon).toBeGreaterThan(1);
    return { ...member, asked: () => asked };
  }

  test("the thread asks the main thread at every new connection, also after a failure", async () => {
    const { answers, asked } = await joinedWithPassword();
    expect(asked()).toBe(1);
    await db.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'lockstep heartbeat'",
    );
    await expect.poll(asked, soon).toBe(3);
    answers.length = 0;
    await expect.poll(() => answers.length, soon).toBeGreaterThan(1);
    expect(asked()).toBe(3);
  });

  test("an open connection renews leases while the main thread is busy", async () => {
    const { workerId } = await joinedWithPassword();
    const look = `select lease_until from lockstep.workers where id = '${workerId}'`;
    const client = await db.connect();
    // PostgreSQL looks twice by itself, while nobody here can ask or answer anything.
    const looked = client.query(`${look}; select pg_sleep(1); ${look}`) as unknown as Promise<
      pg.QueryResult[]
    >;
    await setImmediate();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
    const [before, , after] = await looked;
    expect(after?.rows[0].lease_until.getTime()).toBeGreaterThan(before?.rows[0].lease_until.getTime());
  });
});

test("an unknown worker is answered once, and its thread ends by itself", async () => {
  const { workerId, leave, clock, answers } = joined();
  await expect
    .poll(() => answers, soon)
    .toEqual([{ workerId, isAlive: false, cancel: [], held: null, isUpkeepDue: true }]);
  await leave();
  expect(clock.monotonicMs()).toBe(0);
});

test("workers of a process share one thread and one connection, until the last has left", async () => {
  const clock = new ManualClock();
  const first = joined({ clock, one: { workerId: await givenWorker(), report: () => '"first"' } });
  const unknown = joined({ clock });
  const second = joined({ clock, one: { workerId: await givenWorker(), report: () => '"second"' } });
  const apart = joined({ clock, settings: { leaseMs: 901 } });
  expect([unknown.company, second.company]).toEqual([first.company, first.company]);
  expect(apart.company).not.toBe(first.company);
  await expect.poll(() => second.answers.length, soon).toBeGreaterThan(1);
  await apart.leave();
  await expect.poll(connections, soon).toBe(1);
  expect(unknown.answers).toMatchObject([{ isAlive: false }]);
  const reports = await db.query<{ report: string }>(
    "select report from lockstep.workers where id = any ($1) order by report #>> '{}'",
    [[first.workerId, second.workerId]],
  );
  expect(reports.map(({ report }) => report)).toEqual(["first", "second"]);

  await first.leave();
  first.answers.length = 0;
  second.answers.length = 0;
  await expect.poll(() => second.answers.length, soon).toBeGreaterThan(1);
  expect(first.answers).toEqual([]);
  await second.leave();
  await expect.poll(connections, soon).toBe(0);
});
