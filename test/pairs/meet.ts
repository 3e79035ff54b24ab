import assert from "node:assert/strict";
import type pg from "pg";
import type { Shown } from "../model/model-job.ts";
import { RealQueue } from "../model/real-queue.ts";
import { inOrder, type PairMove } from "./pair-moves.ts";

/** How far the first move is when the second one begins. */
export const points = ["committed", "holding its locks", "rolled back"] as const;
export type Point = (typeof points)[number];

export interface Pair {
  readonly first: PairMove;
  readonly second: PairMove;
  /** Made after both, by nobody in particular. */
  readonly after: readonly PairMove[];
}

/** Two connections on which moves meet, and one that watches them. */
export class Meeting {
  readonly #clients: Record<"first" | "second" | "watcher", pg.Client>;
  readonly #first: RealQueue;
  readonly #second: RealQueue;

  constructor(clients: Record<"first" | "second" | "watcher", pg.Client>) {
    this.#clients = clients;
    this.#first = new RealQueue(clients.first);
    this.#second = new RealQueue(clients.second);
  }

  async prepare(): Promise<void> {
    await this.#first.prepare();
    await this.#second.prepare();
  }

  /** What came of it must be what comes of the two one after the other, in an order that their answers allow. */
  async of({ first, second, after }: Pair, point: Point): Promise<void> {
    const scene = first.scene;
    await this.#first.reset();
    for (const move of scene) await move.real(this.#first);
    this.#second.nowMs = this.#first.nowMs;

    const answers = await this.#meet(first, second, point);
    for (const move of after) await move.real(this.#second);
    const actual = { answers, ...(await this.#second.state()) };
    const legal =
      point === "rolled back"
        ? [told({ second, after }, ["second", "second"], scene)]
        : [
            told({ first, second, after }, ["first", "second", "second"], scene),
            ...(point === "committed"
              ? []
              : [told({ first, second, after }, ["second", "first", "second"], scene)]),
          ];
    const nearest = legal.find((one) => isSame(one, actual)) ?? legal[0];
    assert.deepEqual(actual, nearest, `${first.name} × ${second.name}, the first one ${point}`);
    assert.deepEqual(await this.#second.violations(), []);
  }

  async #meet(first: PairMove, second: PairMove, point: Point): Promise<unknown[]> {
    if (point === "committed") return [await first.real(this.#first), await this.#twice(second)];
    await this.#clients.first.query("begin");
    const answer = await first.real(this.#first);
    const meeting = second.real(this.#second);
    await this.#untilEndedOrBlocked(meeting);
    await this.#clients.first.query(point === "rolled back" ? "rollback" : "commit");
    let answered = await meeting;
    if (second.isPutOff?.(answered)) answered = await second.real(this.#second);
    const later = second.skipsLocked ? await second.real(this.#second) : undefined;
    const told = together(second, answered, later);
    return point === "rolled back" ? [told] : [answer, told];
  }

  async #twice(second: PairMove): Promise<unknown> {
    const answer = await second.real(this.#second);
    return together(second, answer, second.skipsLocked ? await second.real(this.#second) : undefined);
  }

  async #untilEndedOrBlocked(meeting: Promise<unknown>): Promise<void> {
    const { second, watcher } = this.#clients;
    let isEnded = false;
    const end = () => {
      isEnded = true;
    };
    meeting.then(end, end);
    const deadline = performance.now() + 20_000;
    while (performance.now() < deadline) {
      const { rows } = await watcher.query({
        name: "blocked",
        text: "select cardinality(pg_blocking_pids($1)) > 0 as blocked",
        values: [(second as pg.Client & { processID: number }).processID],
      });
      if (isEnded || rows[0]?.blocked) return;
    }
    throw new Error("The second move neither ended nor waited for the first one within 20 s.");
  }
}

/** What the model tells of moves made in this order; of one that looks twice, all that it got. */
function told(
  pair: { first?: PairMove; second: PairMove; after: readonly PairMove[] },
  order: readonly ("first" | "second")[],
  scene: readonly PairMove[],
): { answers: unknown[] } & Shown {
  const { first, second, after } = pair;
  const roles = second.skipsLocked ? order : order.slice(0, -1);
  const moves = roles.map((role) => pair[role] ?? second);
  const { answers, model } = inOrder([...moves, ...after], scene);
  const of = (role: string) => answers.filter((_, index) => roles[index] === role);
  return { answers: [...(first ? of("first") : []), together(second, ...of("second"))], ...model.shown() };
}

function together({ skipsLocked }: PairMove, ...answers: unknown[]): unknown {
  const given = answers.filter((answer) => answer !== undefined);
  return skipsLocked ? given.flat() : given[0];
}

function isSame(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
}
