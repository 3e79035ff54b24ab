import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import type { TestDatabase } from "@lockstep/test-support";
import { isPlan, planSettings, type Reads, readsOfPlans } from "./told-plan.ts";

const notice = "N".charCodeAt(0);
const readyForQuery = "Z".charCodeAt(0);

/** Stands between an engine and PostgreSQL, and hears what each of its statements reads. */
export class OverheardReads {
  /** The database's URL through it. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #heard: Reads[] = [];

  static async start(db: TestDatabase): Promise<OverheardReads> {
    const [row] = await db.query<{ name: string }>("select quote_ident(current_database()) as name");
    // As superuser: whoever connects to this database from now on is told plans.
    await db.query(`alter database ${row?.name} set session_preload_libraries = 'auto_explain'`);
    for (const [name, value] of Object.entries(planSettings))
      await db.query(`alter database ${row?.name} set ${name} = '${value}'`);
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new OverheardReads(server, new URL(db.url));
  }

  private constructor(server: Server, target: URL) {
    this.#server = server;
    server.on("connection", (client) => this.#join(client, connect(Number(target.port), target.hostname)));
    const url = new URL(target);
    url.hostname = "127.0.0.1";
    url.port = String((server.address() as AddressInfo).port);
    this.url = url.href;
  }

  /** What was heard since the last time. */
  take(): Reads[] {
    const heard = this.#heard;
    this.#heard = [];
    return heard;
  }

  async stop(): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, "close");
  }

  #join(client: Socket, server: Socket): void {
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.pipe(other);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    let plans: string[] = [];
    let unread: Buffer = Buffer.alloc(0);
    server.on("data", (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      // Each message is a letter and the length of what follows, its own four bytes included.
      for (;;) {
        const length = unread.length < 5 ? Number.POSITIVE_INFINITY : 1 + unread.readUInt32BE(1);
        if (unread.length < length) break;
        const message = unread.subarray(0, length);
        unread = unread.subarray(length);
        if (message[0] === notice) plans.push(...sentenceOf(message).filter(isPlan));
        if (message[0] === readyForQuery && plans.length > 0) {
          this.#heard.push(readsOfPlans(plans));
          plans = [];
        }
      }
    });
  }
}

/** A notice has fields that begin with a letter and end with a zero; the one with an M is the sentence. */
function sentenceOf(message: Buffer): string[] {
  const fields = message.toString("utf8", 5).split("\0");
  return fields.filter((field) => field.startsWith("M")).map((field) => field.slice(1));
}
