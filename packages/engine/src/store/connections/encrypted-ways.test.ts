import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../clock.ts";
import { targetAt } from "../../test-support/target-at.ts";
import { Database } from "./database.ts";
import { HeartbeatConnection, renewal } from "./heartbeat-connection.js";
import { WakeUpListener } from "./wake-up-listener.ts";

const sslRequest = "0000000804d2162f";

/** A server that has no TLS and says so, as PostgreSQL does; it keeps what it is told. */
async function serverWithoutTls() {
  const told: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      told.push(chunk.toString("hex"));
      socket.write("N");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { told, server, url: `postgres://me:secret@127.0.0.1:${port}/app?sslmode=verify-full` };
}

test("a URL that asks for TLS is heeded by the pool, and no password goes to a server without", async () => {
  const { told, url } = await serverWithoutTls();
  const database = new Database({
    target: targetAt(url),
    connections: 1,
    transactionPooler: false,
    applicationName: "lockstep",
  });
  onTestFinished(() => database.close({ sleep: async () => {} }));
  await expect(database.query({ name: "one", text: "select 1", values: [] })).rejects.toThrow();
  expect(told).toEqual([sslRequest]);
});

test("and by the heartbeat", async () => {
  const { told, url } = await serverWithoutTls();
  const connection = new HeartbeatConnection(
    {
      target: targetAt(url),
      renewal,
      transactionPooler: false,
      leaseMs: 30_000,
      upkeepAfterMs: 5_000,
    },
    null,
  );
  await expect(connection.renew([])).rejects.toThrow(/does not support SSL/);
  expect(told).toEqual([sslRequest]);
});

test("and by the listener", async () => {
  const { told, server, url } = await serverWithoutTls();
  const listener = new WakeUpListener({
    target: targetAt(url),
    clock: systemClock,
    onWakeUp: () => {},
    onCancel: () => {},
  });
  const connected = once(server, "connection");
  listener.start("a-worker");
  const [socket] = await connected;
  await once(socket, "close");
  await listener.stop();
  expect(told).toEqual([sslRequest]);
});
