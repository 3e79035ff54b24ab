import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { type Direction, ProxiedConnection } from "./proxied-connection.ts";

/** Which reply is to be lost: the one to a request that holds a text, or the one that holds a text itself. */
export type LostReply = { readonly toRequestWith: string | Buffer } | { readonly with: string };

interface Trap {
  readonly reply: LostReply;
  readonly spring: () => void;
}

/** Stands between clients and PostgreSQL: loses replies to statements that have taken effect, cuts, holds and slows down. */
export class TcpProxy {
  /** The database's URL through this proxy. */
  readonly url: string;
  readonly #server: Server;
  readonly #connections = new Set<ProxiedConnection>();
  readonly #target: URL;
  #heldDirections: readonly Direction[] = [];
  #delayMs = 0;
  #traps: Trap[] = [];

  static async start(databaseUrl: string): Promise<TcpProxy> {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new TcpProxy(server, new URL(databaseUrl));
  }

  private constructor(server: Server, target: URL) {
    this.#server = server;
    this.#target = target;
    server.on("connection", (client) =>
      this.#join(client, connect(Number(this.#target.port), this.#target.hostname)),
    );
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

  /** Resets the connections of this name, or all; they may come again. */
  reset(applicationName?: string): void {
    for (const connection of this.#connections) {
      if (applicationName === undefined || connection.applicationName === applicationName) connection.reset();
    }
  }

  /** A black hole: nothing gets through these ways, on no connection, until they are let through again. */
  hold(...directions: Direction[]): void {
    this.#heldDirections = directions;
    for (const connection of this.#connections) {
      for (const direction of directions) connection.hold(direction);
    }
  }

  letThrough(): void {
    for (const connection of this.#connections) {
      for (const direction of this.#heldDirections) connection.letThrough(direction);
    }
    this.#heldDirections = [];
  }

  /** Everything takes so much longer, either way. */
  slowDown(delayMs: number): void {
    this.#delayMs = delayMs;
    for (const connection of this.#connections) connection.slowDown(delayMs);
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const { client, server } of this.#connections) {
      client.destroy();
      server.destroy();
    }
    await once(this.#server, "close");
  }

  #join(client: Socket, server: Socket): void {
    const connection = new ProxiedConnection(client, server);
    this.#connections.add(connection);
    connection.slowDown(this.#delayMs);
    for (const direction of this.#heldDirections) connection.hold(direction);
    let trap: Trap | undefined;
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.setNoDelay(true);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#connections.delete(connection);
        other.destroy();
      });
    }
    client.on("data", (request: Buffer) => {
      connection.greet(request);
      trap ??= this.#traps.find(
        ({ reply }) => "toRequestWith" in reply && request.includes(reply.toRequestWith),
      );
      connection.pass("to server", request);
    });
    server.on("data", (reply: Buffer) => {
      trap ??= this.#traps.find((one) => "with" in one.reply && reply.includes(one.reply.with));
      if (trap === undefined) {
        connection.pass("to client", reply);
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
