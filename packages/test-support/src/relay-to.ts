import { once } from "node:events";
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/**
 * The database's URL by way of a relay, which is told of every connection before anything passes: what listens to it then hears all
 * that the client sends, and what destroys it refuses it. It ends with the test.
 */
export async function relayTo(databaseUrl: string, onClient: (client: Socket) => void): Promise<string> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    onClient(client);
    if (client.destroyed) return;
    const upstream = dial(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(new URL(databaseUrl), { port: String(port) }).href;
}
