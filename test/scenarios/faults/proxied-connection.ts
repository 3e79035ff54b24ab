import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export type Direction = "to server" | "to client";

/** One client's connection to PostgreSQL through the proxy, and what is the matter with it. */
export class ProxiedConnection {
  readonly client: Socket;
  readonly server: Socket;
  /** What the client calls itself when it connects. */
  applicationName = "";
  readonly #held: Record<Direction, Buffer[] | null> = { "to server": null, "to client": null };
  // One after the other, also when the delay changes: a stream whose parts change places is none.
  readonly #lines: Record<Direction, Promise<void>> = {
    "to server": Promise.resolve(),
    "to client": Promise.resolve(),
  };
  #delayMs = 0;

  constructor(client: Socket, server: Socket) {
    this.client = client;
    this.server = server;
  }

  /** The first packet tells who comes. */
  greet(request: Buffer): void {
    if (this.applicationName !== "") return;
    const name = /application_name\0([^\0]*)\0/.exec(request.toString("latin1"))?.[1];
    this.applicationName = name ?? "unnamed";
  }

  /** Nothing gets through that way, and nobody is told; what was sent arrives when it is let through again. */
  hold(direction: Direction): void {
    this.#held[direction] ??= [];
  }

  letThrough(direction: Direction): void {
    const held = this.#held[direction] ?? [];
    this.#held[direction] = null;
    for (const chunk of held) this.pass(direction, chunk);
  }

  /** Everything takes this much longer, either way. */
  slowDown(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  pass(direction: Direction, chunk: Buffer): void {
    const held = this.#held[direction];
    if (held !== null) {
      held.push(chunk);
      return;
    }
    const dueMs = performance.now() + this.#delayMs;
    this.#lines[direction] = this.#lines[direction].then(async () => {
      const leftMs = dueMs - performance.now();
      if (leftMs > 0) await pause(leftMs);
      this.#write(direction, chunk);
    });
  }

  reset(): void {
    this.client.resetAndDestroy();
  }

  #write(direction: Direction, chunk: Buffer): void {
    const socket = direction === "to server" ? this.server : this.client;
    if (!socket.destroyed) socket.write(chunk);
  }
}
