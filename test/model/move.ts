import assert from "node:assert/strict";
import type fc from "fast-check";
import type { Clients } from "./clients.ts";
import type { RealQueue } from "./real-queue.ts";

export interface MoveKind<A> {
  readonly name: string;
  isPossible?(clients: Clients, args: A): boolean;
  /** Makes the move on both sides and compares what they answer. */
  make(clients: Clients, queue: RealQueue, args: A): Promise<void>;
}

const turnsPerLook = 3;

/** A move with its arguments. */
export class Move<A> implements fc.AsyncCommand<Clients, RealQueue> {
  readonly #kind: MoveKind<A>;
  readonly #args: A;

  constructor(kind: MoveKind<A>, args: A) {
    this.#kind = kind;
    this.#args = args;
  }

  check(clients: Readonly<Clients>): boolean {
    return this.#kind.isPossible?.(clients as Clients, this.#args) ?? true;
  }

  async run(clients: Clients, queue: RealQueue): Promise<void> {
    clients.model.turn += 1;
    queue.nowMs = clients.model.nowMs;
    await this.#kind.make(clients, queue, this.#args);
    // A difference stays: to look now and then finds it too, and costs less.
    if (clients.model.turn % turnsPerLook === 0) await expectSameState(clients, queue);
  }

  toString(): string {
    return `${this.#kind.name}(${JSON.stringify(this.#args)})`;
  }
}

/** Both sides show the same jobs and workers. */
export async function expectSameState({ model }: Clients, queue: RealQueue): Promise<void> {
  assert.deepEqual(await queue.state(), model.shown());
}
