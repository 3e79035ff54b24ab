// In real time where connections end: PostgreSQL and sockets have no other.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { ManualClock, testDatabase } from "@lockstep/test-support";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { WakeUpListener, type WakeUpListenerParts } from "./wake-up-listener.ts";

// Generous: a busy machine is slow.
const soon = { timeout: 25_000 };
const db = testDatabase();

function aListener(parts: Partial<WakeUpListenerParts> = {}) {
  const heard: string[] = [];
  const clock = new ManualClock();
  const listener = new WakeUpListener({
    target: targetAt(db.url),
    clock,
    onWakeUp: () => heard.push("wake-up"),
    onCancel: () => heard.push("cancel"),
    ...parts,
  });
  onTestFinished(() => listener.stop());
  return { listener, clock, heard };
}

async function notify(channel: string, workerId: string): Promise<void> {
  await db.query("select pg_notify($1, '')", [`lockstep_${channel}${workerId.replaceAll("-", "")}`]);
}

const backends =
  "from pg_stat_activity where datname = current_database() and application_name = 'lockstep listener'";

/** A way to PostgreSQL that can fall silent without closing anything, as a cable that is cut. */
async function aSilenceableWay(): Promise<{ url: string; fallSilent(): void }> {
  const target = new URL(db.url);
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.pipe(far).pipe(near);
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on("error", () => {});
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const url = new URL(db.url);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  const fallSilent = () => {
    for (const socket of sockets) socket.unpipe().pause();
  };
  return { url: url.href, fallSilent };
}

test("it hears the wake-ups and cancels for its worker, and nobody else's", async () => {
  const { listener, clock, heard } = aListener();
  const [ours, theirs] = [randomUUID(), randomUUID()];
  listener.start(ours);
  await clock.whenAsleep();
  expect(listener.isListening).toBe(true);
  heard.length = 0;
  await notify("", theirs);
  await notify("cancel_", theirs);
  await notify("", ours);
  await notify("cancel_", ours);
  await expect.poll(() => heard, soon).toEqual(["wake-up", "cancel"]);
});

test("listeners of a process share one connection, and each hears what is its own until it stops", async () => {
  const first = aListener();
  const second = aListener({ clock: first.clock });
  const [one, other] = [randomUUID(), randomUUID()];
  first.listener.start(one);
  await first.clock.whenAsleep();
  second.listener.start(other);
  await expect.poll(() => second.listener.isListening, soon).toBe(true);
  expect(await db.query(`select ${backends}`)).toHaveLength(1);
  expect([first.heard, second.heard]).toEqual([
    ["wake-up", "cancel"],
    ["wake-up", "cancel"],
  ]);
  await notify("", other);
  await notify("cancel_", one);
  await expect
    .poll(() => [first.heard.slice(2), second.heard.slice(2)], soon)
    .toEqual([["cancel"], ["wake-up"]]);

  await first.listener.stop();
  const lastQuery = async () => (await db.query<{ query: string }>(`select query ${backends}`))[0]?.query;
  await expect.poll(lastQuery, soon).toMatch(/^unlisten/);
  await notify("", one);
  await notify("", other);
  await expect.poll(() => second.heard.slice(3), soon).toEqual(["wake-up"]);
  expect(first.heard.slice(3)).toEqual([]);
  await second.listener.stop();
  await expect.poll(() => db.query(`select ${backends}`), soon).toEqual([]);
});

test("it tells how long a notification takes to be heard, which is no wake-up", async () => {
  const { listener, clock, heard } = aListener();
  const ping = async (channel: string, payload: string) => {
    await clock.advance(7);
    await db.query("select pg_notify($1, $2)", [channel, payload]);
  };
  const workerId = randomUUID();
  expect(await listener.lagMs(ping)).toBeNull();
  listener.start(workerId);
  await clock.whenAsleep();
  heard.length = 0;
  expect(await listener.lagMs(ping)).toBe(7);
  expect(heard).toEqual([]);
  const late = async (channel: string) => {
    await ping(channel, "of another");
    // Heard after it: so that one has been heard as well.
    await notify("", workerId);
    await expect.poll(() => heard, soon).toEqual(["wake-up"]);
    await clock.advance(500);
  };
  expect(await listener.lagMs(late)).toBe(500);
  const failing = () => Promise.reject(new Error("no connection is free"));
  await expect(listener.lagMs(failing)).rejects.toThrow("no connection is free");
});

test("when it begins to listen it looks by itself, since what was said before was not heard", async () => {
  const { listener, clock, heard } = aListener();
  listener.start(randomUUID());
  await clock.whenAsleep();
  expect(heard).toEqual(["wake-up", "cancel"]);
});

test("a connection that was ended after a second is opened again at once, and it hears again", async () => {
  const { listener, clock, heard } = aListener();
  const workerId = randomUUID();
  listener.start(workerId);
  await clock.whenAsleep();
  await clock.advance(1_000);
  heard.length = 0;
  await db.query(`select pg_terminate_backend(pid, 5000) ${backends}`);
  await expect.poll(() => heard, soon).toContain("wake-up");
  heard.length = 0;
  await notify("", workerId);
  await expect.poll(() => heard, soon).toEqual(["wake-up"]);
});

test("a silent connection is found out by a ping every 30 seconds", async () => {
  const { listener, clock } = aListener();
  listener.start(randomUUID());
  await clock.whenAsleep();
  const lastQuery = async () => (await db.query<{ query: string }>(`select query ${backends}`))[0]?.query;
  await clock.advance(29_999);
  expect(await lastQuery()).toMatch(/^listen/);
  await clock.advance(1);
  await expect.poll(lastQuery, soon).toBe("select 1");
});

test("a database that is away is asked for again every second, without a word", async () => {
  let tries = 0;
  const server = createServer((socket) => {
    tries += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { listener, clock, heard } = aListener({ target: targetAt(`postgres://u:p@127.0.0.1:${port}/d`) });
  listener.start(randomUUID());
  await clock.whenAsleep();
  expect(tries).toBe(1);
  await clock.advance(1_000);
  await expect.poll(() => tries, soon).toBe(2);
  await clock.whenAsleep();
  expect([heard, listener.isListening]).toEqual([[], false]);
});

test("stop closes its connection, and is legal twice and before any start", async () => {
  const { listener, clock } = aListener();
  await listener.stop();
  listener.start(randomUUID());
  await clock.whenAsleep();
  await listener.stop();
  await listener.stop();
  expect(listener.isListening).toBe(false);
  await expect.poll(() => db.query(`select ${backends}`), soon).toEqual([]);
});

test("it may start again under another worker's id", async () => {
  const { listener, clock, heard } = aListener();
  const [first, second] = [randomUUID(), randomUUID()];
  listener.start(first);
  await clock.whenAsleep();
  await listener.stop();
  listener.start(second);
  await clock.whenAsleep();
  heard.length = 0;
  await notify("", first);
  await notify("", second);
  await expect.poll(() => heard, soon).toEqual(["wake-up"]);
});

test("a connection that has fallen silent is given up when the ping stays without answer", async () => {
  const way = await aSilenceableWay();
  const { listener, clock, heard } = aListener({ target: targetAt(way.url) });
  listener.start(randomUUID());
  // It tells that it begins to listen; a busy machine may not connect in time, and sleeps before it tries again.
  const begins = async () => {
    await clock.whenAsleep();
    if (!listener.isListening) await clock.advance(1_000);
    return heard;
  };
  await expect.poll(begins, soon).toEqual(["wake-up", "cancel"]);
  await clock.whenAsleep();
  way.fallSilent();
  await clock.advance(30_000);
  // On a new connection: the silent one lets nothing through.
  await expect.poll(begins, soon).toEqual(["wake-up", "cancel", "wake-up", "cancel"]);
});

test("stop does not wait for a connection that has fallen silent", async () => {
  const way = await aSilenceableWay();
  const { listener } = aListener({ target: targetAt(way.url), clock: systemClock });
  listener.start(randomUUID());
  await expect.poll(() => listener.isListening, soon).toBe(true);
  way.fallSilent();
  await listener.stop();
  expect(listener.isListening).toBe(false);
});

test("stop does not wait for a server that never answers the first word", async () => {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { listener } = aListener({
    target: targetAt(`postgres://u:p@127.0.0.1:${port}/d`),
    clock: systemClock,
  });
  const [socket] = (await Promise.all([once(server, "connection"), listener.start(randomUUID())]))[0] as [
    Socket,
  ];
  onTestFinished(() => void socket.destroy());
  await listener.stop();
  expect(listener.isListening).toBe(false);
});
