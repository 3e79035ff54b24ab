import { ManualClock, type TestDatabase } from "@lockstep/test-support";

/** Time for an engine and its database together, which moves when the story says so. */
export class StoryTime {
  readonly clock = new ManualClock();
  readonly #db: TestDatabase;

  constructor(db: TestDatabase) {
    this.#db = db;
  }

  /** For the engine that lives in this time; its lease must outlast the jumps, for it is renewed in real time. */
  get settings() {
    return { clock: this.clock, leaseMs: 3_600_000 };
  }

  async pass(ms: number): Promise<void> {
    await this.#db.timePasses(ms);
    await this.clock.advance(ms);
  }

  /** Lets the engine's timers go on, while the database answers in its own time, until this has happened. */
  async until<Value>(awaited: Promise<Value>): Promise<Value> {
    let isOver = false;
    const over = awaited.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await this.clock.advance(1_000);
      await Promise.race([over, new Promise((resolve) => setTimeout(resolve, 10))]);
    }
    return over;
  }
}
