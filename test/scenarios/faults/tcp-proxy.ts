import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Which reply is to be lost: the one to a request that holds a text, or the one that holds a text itself. */
export type LostReply = { readonly toRequestWith: string } | { readonly with: string };

interface Trap {
  readonly reply: LostReply;
  readonly spring: () => void;
}

/** Stands between a client and PostgreSQL, and loses replies to statements that have taken effect. */
export class TcpProxy {
  /** The database's URL through this proxy. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #traps: Trap[] = [];

  static async start(databaseUrl: string): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TcpProxy(server, new URL(databaseUrl));
  }

  private constructor(server: Server, target: URL) {
    this.#server = server;
    server.on("connection", (client) => this.#join(client, connect(Number(target.port), target.hostname)));
    const url = new URL(target);
    url.hostname = "127.0.0.1";
    url.port = String((server.address() as AddressInfo).port);
    this.url = url.href;
  }

  /** Loses one reply, once, and resets its connection; resolves when that has happened. */
  lose(reply: LostReply): Promise<void> {
    return new Promise((resolve) => {
      const trap: Trap = {
        reply,
        spring: () => {
          this.#traps = this.#traps.filter((other) => other !== trap);
          resolve();
        },
      };
      this.#traps.push(trap);
    });
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  #join(client: Socket, server: Socket): void {
    let trap: Trap | undefined;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on("data", (request) => {
      trap ??= this.#traps.find(
        ({ reply }) => "toRequestWith" in reply && request.includes(reply.toRequestWith),
      );
      server.write(request);
    });
    server.on("data", (reply) => {
      trap ??= this.#traps.find((one) => "with" in one.reply && reply.includes(one.reply.with));
      if (trap === undefined) {
        client.write(reply);
      } else if (endsStatement(reply)) {
        trap.spring();
        client.resetAndDestroy();
      }
    });
  }
}

// PostgreSQL says that it is ready for the next statement when this one is committed: "Z", the length 5, "I" for idle.
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

function endsStatement(reply: Buffer): boolean {
  return reply.subarray(-readyForQuery.length).equals(readyForQuery);
}
