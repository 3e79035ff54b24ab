import type { Clock, Reader } from "lockstep";

export interface OldestWait {
  readonly pipeline: string;
  readonly stage: string;
  readonly oldestPendingAt: Date;
}

const keptMs = 5_000;

/**
 * Since when the longest waiting job of each stage waits. Looked up every few seconds at most, however many ask: an instant
 * does not change while its job waits, and grows old by itself.
 */
export class OldestWaits {
  readonly #reader: Pick<Reader, "waits">;
  readonly #clock: Clock;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<OldestWait[]> | null = null;

  constructor(parts: { reader: Pick<Reader, "waits">; clock: Clock }) {
    this.#reader = parts.reader;
    this.#clock = parts.clock;
  }

  look(): Promise<OldestWait[]> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#looking === null || nowMs - this.#lookedAtMs >= keptMs) {
      this.#lookedAtMs = nowMs;
      this.#looking = this.#look();
      // What failed is asked again by the next.
      this.#looking.catch(() => {
        this.#looking = null;
      });
    }
    return this.#looking;
  }

  async #look(): Promise<OldestWait[]> {
    const waits = await this.#reader.waits();
    const now = this.#clock.now().getTime();
    return waits.flatMap(({ pipeline, stage, pendingMs }) =>
      pendingMs === null ? [] : [{ pipeline, stage, oldestPendingAt: secondOf(now - pendingMs) }],
    );
  }
}

/** To the second: the way from the database takes some milliseconds more or less, and nothing has changed. */
function secondOf(ms: number): Date {
  return new Date(Math.round(ms / 1_000) * 1_000);
}
