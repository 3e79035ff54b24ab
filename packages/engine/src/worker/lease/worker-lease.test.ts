// In real time: the lease lives on PostgreSQL's clock and the heartbeat in a thread. The leases are long, so that none
// lapses while the machine stalls; a test that needs the end of one lets time pass in the database, or sets a wide margin.
import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { childProgram, ManualClock, recordThreads, testDatabase } from "@lockstep/test-support";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { type Clock, systemClock } from "../../clock.ts";
import { renewal } from "../../store/connections/heartbeat-connection.js";
import { targetAt } from "../../test-support/target-at.ts";
import type { CompanySettings } from "./heartbeat-settings.ts";
import { WorkerLease, type WorkerLeaseParts } from "./worker-lease.ts";

const db = testDatabase();
const leaseMs = 60_000;
const heartbeatIntervalMs = 300;
// Generous: a busy machine starts a thread slowly.
const soon = { interval: 10, timeout: 25_000 };
let workerId: string;

beforeEach(async () => {
  await db.reset();
  // Not due for some time; more than ten seconds ahead would be a clock that was set back.
  await db.query("update lockstep.upkeep set done_at = clock_timestamp() + interval '9 seconds'");
  workerId = randomUUID();
});

interface Told {
  names: string[];
  cancel: string[];
  held: { id: string; token: string }[][];
  renewed: number;
  late: number;
}

async function register(ms = leaseMs, clock: Clock = systemClock): Promise<number> {
  const sentAtMs = clock.monotonicMs();
  await db.call("register_worker", {
    p_worker_id: workerId,
    p_name: "w",
    p_lease: `${ms} milliseconds`,
  });
  return sentAtMs;
}

async function startLease(
  options: Partial<WorkerLeaseParts> = {},
  settings: Partial<CompanySettings> = {},
): Promise<{ lease: WorkerLease; told: Told }> {
  const told: Told = { names: [], cancel: [], held: [], renewed: 0, late: 0 };
  const tell = (name: string) => () => told.names.push(name);
  const lease = new WorkerLease({
    heartbeat: {
      target: targetAt(db.url),
      renewal,
      transactionPooler: false,
      leaseMs,
      heartbeatIntervalMs,
      upkeepAfterMs: 30_000,
      frozenAfterMs: 60_000,
      doubtMs: 25_000,
      ...settings,
    },
    leaseMarginMs: 300,
    clock: systemClock,
    report: () => ({}),
    longestTimeoutMs: () => 0,
    isHolding: () => false,
    onCancel: (ids) => told.cancel.push(...ids),
    onHeld: (held) => told.held.push([...held]),
    onUpkeepDue: tell("upkeep due"),
    onLost: tell("lost"),
    onUntrusted: tell("untrusted"),
    onTrusted: tell("trusted"),
    onRenewed: () => {
      told.renewed += 1;
    },
    onRenewedLate: () => {
      told.late += 1;
    },
    onError: (error) => told.names.push(`error: ${error.message}`),
    ...options,
  });
  onTestFinished(() => lease.stop());
  lease.start(workerId, await register(settings.leaseMs, options.clock));
  return { lease, told };
}

interface WorkerRow {
  heartbeat_at: Date;
  lease_until: Date;
  lost_at: Date | null;
  report: unknown;
  is_over: boolean;
}

async function workerRow(): Promise<WorkerRow> {
  const [row] = await db.query<WorkerRow>(
    "select *, lease_until < clock_timestamp() as is_over from lockstep.workers where id = $1",
    [workerId],
  );
  if (row === undefined) throw new Error("The worker is not on the list.");
  return row;
}

async function nextHeartbeat(): Promise<void> {
  const before = (await workerRow()).heartbeat_at.getTime();
  await expect.poll(async () => (await workerRow()).heartbeat_at.getTime(), soon).toBeGreaterThan(before);
}

async function heartbeatPid(): Promise<number | undefined> {
  const [row] = await db.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and application_name = 'lockstep heartbeat'",
  );
  return row?.pid;
}

async function claimJob(): Promise<{ id: string; token: string }> {
  await db.call("define_pipeline", { p_name: "p", p_stages: [{ name: "s" }] });
  await db.call("add_job", { p_pipeline: "p", p_payload: {} });
  const [row] = await db.call<{ id: string; claim_token: string }>("claim_jobs", {
    p_worker_id: workerId,
    p_stages: ["p/s"],
    p_batch_size: 1,
  });
  if (row === undefined) throw new Error("There is no job to claim.");
  return { id: row.id, token: row.claim_token };
}

interface Proxy {
  readonly url: string;
  setBlackHole(isOn: boolean): void;
  /** Resolves with the next thing said that goes nowhere. */
  swallowed(): Promise<void>;
}

/** A way to the database that can be made to swallow everything. */
async function givenProxy(): Promise<Proxy> {
  const target = new URL(db.url);
  const sockets = new Set<Socket>();
  const swallows = new EventEmitter();
  let isBlackHole = false;
  const server: Server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      from.on("data", (chunk) => {
        if (isBlackHole) swallows.emit("swallowed");
        else to.write(chunk);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  const url = new URL(db.url);
  url.host = `127.0.0.1:${address.port}`;
  return {
    url: url.href,
    setBlackHole: (isOn) => {
      isBlackHole = isOn;
    },
    swallowed: async () => void (await once(swallows, "swallowed")),
  };
}

/** Lets nothing else happen in this thread for so long, and then until it holds; says whether it came to hold. */
function blockThisThread(ms: number, holds: () => boolean): boolean {
  const untilMs = systemClock.monotonicMs() + ms;
  while (systemClock.monotonicMs() < untilMs);
  while (systemClock.monotonicMs() < untilMs + soon.timeout) if (holds()) return true;
  return false;
}

describe("a lease", () => {
  test("is renewed for longer than it lasts", async () => {
    const { lease, told } = await startLease({}, { upkeepAfterMs: 3_600_000 });
    for (let time = 0; time < 3; time += 1) {
      await db.timePasses(leaseMs / 2);
      await nextHeartbeat();
    }
    expect(await db.call("sweep_lost_workers")).toMatchObject([{ lost_workers: 0 }]);
    expect(lease.isTrusted).toBe(true);
    expect(told.names).toEqual([]);
  });

  test("is kept while a handler keeps the main thread busy", async () => {
    const { lease, told } = await startLease();
    await nextHeartbeat();
    // What is on time after so many intervals was renewed meanwhile.
    expect(blockThisThread(10 * heartbeatIntervalMs, () => lease.isOnTime)).toBe(true);
    expect(await workerRow()).toMatchObject({ is_over: false, lost_at: null });
    await nextHeartbeat();
    expect(told.names).toEqual([]);
  });

  test("is not trusted from the start when its registration took too long", async () => {
    const { lease, told } = await startLease();
    await lease.stop();
    lease.start(workerId, systemClock.monotonicMs() - leaseMs);
    expect(lease.isTrusted).toBe(false);
    await expect.poll(() => told.names, soon).toEqual(["untrusted", "trusted"]);
  });

  test("carries what the worker says of itself, and goes without what cannot be stored", async () => {
    let report: unknown = { processors: 3, note: "nul \0 and half \ud83d" };
    const { told } = await startLease({ report: () => report });
    await expect
      .poll(async () => (await workerRow()).report, soon)
      .toEqual({
        processors: 3,
        note: "nul \ufffd and half \ufffd",
      });
    report = { size: 1n };
    await expect.poll(() => told.names.length, soon).toBeGreaterThan(0);
    await nextHeartbeat();
    await nextHeartbeat();
    expect((await workerRow()).report).toMatchObject({ processors: 3 });
    expect(new Set(told.names)).toEqual(new Set([expect.stringMatching(/^error: .*\/size/)]));
  });
});

describe("a worker", () => {
  test("that was swept is told once, and its lease is never renewed again", async () => {
    const { lease, told } = await startLease();
    await nextHeartbeat();
    await db.query("update lockstep.workers set lost_at = clock_timestamp()");
    await expect.poll(() => told.names, soon).toEqual(["lost"]);
    expect(lease.isTrusted).toBe(false);
    const { lease_until } = await workerRow();
    await expect.poll(heartbeatPid, soon).toBeUndefined();
    expect((await workerRow()).lease_until).toEqual(lease_until);
    expect(told.names).toEqual(["lost"]);
  });

  test("that is unknown is told so, and starts anew under another id", async () => {
    const { lease, told } = await startLease();
    await db.query("delete from lockstep.workers");
    await expect.poll(() => told.names, soon).toEqual(["lost"]);
    workerId = randomUUID();
    lease.start(workerId, await register());
    expect(lease.isTrusted).toBe(true);
    await nextHeartbeat();
    await db.query("delete from lockstep.workers");
    await expect.poll(() => told.names, soon).toEqual(["lost", "lost"]);
  });

  test("hears which of its jobs are to be cancelled", async () => {
    const { told } = await startLease();
    const { id } = await claimJob();
    await nextHeartbeat();
    expect(told.cancel).toEqual([]);
    await db.call("cancel_job", { p_id: id });
    await expect.poll(() => told.cancel[0], soon).toBe(id);
  });

  test("hears that the fleet's upkeep is overdue", async () => {
    const { told } = await startLease();
    await nextHeartbeat();
    expect(told.names).toEqual([]);
    await db.query("update lockstep.upkeep set done_at = clock_timestamp() - interval '31 seconds'");
    await expect.poll(() => told.names[0], soon).toBe("upkeep due");
  });

  test("that holds nothing is watched from the moment it takes a job", async () => {
    let isHolding = false;
    let ticks = 0;
    const longestTimeoutMs = () => {
      ticks += 1;
      return 0;
    };
    const clock = new ManualClock();
    const { lease, told } = await startLease(
      { clock, isHolding: () => isHolding, longestTimeoutMs },
      { heartbeatIntervalMs: 60_000, leaseMs: 180_000 },
    );
    // Without a job its heartbeats begin only then.
    await clock.advance(1_000);
    await expect.poll(() => told.renewed, soon).toBe(1);
    const atRest = ticks;
    await clock.advance(50_000);
    expect(ticks).toBe(atRest);
    isHolding = true;
    lease.taken();
    expect(ticks).toBe(atRest + 1);
    await clock.advance(1_000);
    expect(ticks).toBeGreaterThan(atRest + 4);
  });

  test("in doubt hears what it holds by claims old enough, and is not told otherwise", async () => {
    const { lease, told } = await startLease();
    const old = await claimJob();
    await claimJob();
    await db.query("update lockstep.jobs set claimed_at = claimed_at - interval '21 seconds' where id = $1", [
      old.id,
    ]);
    await nextHeartbeat();
    await nextHeartbeat();
    expect(told.held).toEqual([]);
    lease.markInDoubt();
    await expect.poll(() => told.held[0], soon).toEqual([old]);
  });
});

describe("when the database fails", () => {
  test("a connection that was killed is replaced and the lease goes on", async () => {
    const { told } = await startLease();
    await nextHeartbeat();
    const pid = await heartbeatPid();
    await db.query("select pg_terminate_backend($1)", [pid]);
    await expect.poll(async () => ![undefined, pid].includes(await heartbeatPid()), soon).toBe(true);
    await nextHeartbeat();
    expect(told.names).toEqual([]);
  });

  test("a silent connection ends the trust before the lease ends, and a renewal brings it back", async () => {
    const proxy = await givenProxy();
    const trustMs = 3_000;
    const { lease, told } = await startLease(
      { leaseMarginMs: leaseMs - trustMs, isHolding: () => true },
      { target: targetAt(proxy.url), heartbeatIntervalMs: 1_000 },
    );
    await nextHeartbeat();
    proxy.setBlackHole(true);
    await expect.poll(() => told.names.at(-1), soon).toBe("untrusted");
    expect([lease.isTrusted, lease.isOnTime]).toEqual([false, false]);
    expect((await workerRow()).is_over).toBe(false);
    told.names.length = 0;
    told.late = 0;
    proxy.setBlackHole(false);
    await expect.poll(() => told.names[0], soon).toBe("trusted");
    await expect.poll(() => [lease.isTrusted, told.late > 0], soon).toEqual([true, true]);
  });
});

describe("stopping", () => {
  test("ends the heartbeats, may come twice, and leaves nothing connected", async () => {
    const { lease, told } = await startLease();
    await nextHeartbeat();
    await Promise.all([lease.stop(), lease.stop()]);
    await lease.stop();
    expect(lease.isTrusted).toBe(false);
    await expect.poll(heartbeatPid, soon).toBeUndefined();
    expect(told.names).toEqual([]);
  });

  test("may come before the start", async () => {
    const unstarted = new WorkerLease({ clock: systemClock } as WorkerLeaseParts);
    await unstarted.stop();
    expect(unstarted.isTrusted).toBe(false);
  });

  test("does not wait for a database that is silent", async () => {
    const proxy = await givenProxy();
    const threads = recordThreads();
    const { lease } = await startLease({}, { target: targetAt(proxy.url) });
    await nextHeartbeat();
    proxy.setBlackHole(true);
    await proxy.swallowed();
    await lease.stop();
    await expect.poll(threads, soon).toEqual([false]);
  });

  test("lets the process end by itself", async () => {
    await register();
    const program = childProgram(
      `import { systemClock } from "./packages/engine/src/clock.ts";
       import { renewal } from "./packages/engine/src/store/connections/heartbeat-connection.js";
       import { targetAt } from "./packages/engine/src/test-support/target-at.ts";
       import { WorkerLease } from "./packages/engine/src/worker/lease/worker-lease.ts";
       const nothing = () => {};
       const lease = new WorkerLease({
         heartbeat: {
           target: targetAt(${JSON.stringify(db.url)}), renewal, transactionPooler: false,
           leaseMs: ${leaseMs}, heartbeatIntervalMs: ${heartbeatIntervalMs}, upkeepAfterMs: 5_000, frozenAfterMs: 10_000, doubtMs: 25_000,
         },
         leaseMarginMs: 300, clock: systemClock, report: () => "from the child", longestTimeoutMs: () => 0, isHolding: () => false,
         onCancel: nothing, onHeld: nothing, onUpkeepDue: nothing, onLost: nothing, onUntrusted: nothing, onTrusted: nothing, onRenewed: nothing, onRenewedLate: nothing,
       });
       lease.start(${JSON.stringify(workerId)}, systemClock.monotonicMs());
       process.on("SIGTERM", () => lease.stop());
       console.log("started");`,
    );
    await program.nextLine();
    await expect.poll(async () => (await workerRow()).report, soon).toBe("from the child");
    program.kill("SIGTERM");
    expect(await program.ended).toEqual({ code: 0, signal: null, errors: "" });
  });
});
