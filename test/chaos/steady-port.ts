import { once } from "node:events";
import { createServer } from "node:net";

const from = 20_000;
const ports = 12_000;

/**
 * A loopback port nobody listens on, below those that the system gives to outgoing connections: it must still be free when
 * a process that was killed comes back to it.
 */
export async function steadyPort(): Promise<number> {
  for (;;) {
    const port = from + Math.floor(Math.random() * ports);
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
