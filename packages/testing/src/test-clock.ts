import { ManualClock } from "./manual-clock.ts";

/** Time for an engine and its database together: it stands still until it is moved. */
export class TestClock extends ManualClock {
  readonly #setDatabaseTime: (now: Date) => Promise<void>;

  constructor(startedAt: Date, setDatabaseTime: (now: Date) => Promise<void>) {
    super(startedAt);
    this.#setDatabaseTime = setDatabaseTime;
  }

  override async advance(ms: number): Promise<void> {
    if (!Number.isFinite(ms) || ms < 0) {
      throw new RangeError(`The clock moves forward by a number of milliseconds, not by ${ms}.`);
    }
    // First the database, so that whoever wakes finds what is due by then.
    await this.#setDatabaseTime(new Date(this.now().getTime() + ms));
    await super.advance(ms);
  }

  /** Moves time on to this instant. */
  async advanceTo(instant: Date): Promise<void> {
    const ms = instant.getTime() - this.now().getTime();
    if (ms < 0) {
      throw new RangeError(
        `The clock stands at ${this.now().toISOString()} and does not go back to ${instant.toISOString()}.`,
      );
    }
    await this.advance(ms);
  }
}
