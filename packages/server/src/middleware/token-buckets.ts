import type { Clock } from "lockstep";

interface Bucket {
  tokens: number;
  atMs: number;
}

const mostBuckets = 10_000;

/** So many tokens a second for each key, and twice as many at once. */
export class TokenBuckets {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #perSecond: number;
  readonly #most: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, clock: Pick<Clock, "monotonicMs">, most = 2 * perSecond) {
    this.#perSecond = perSecond;
    this.#most = most;
    this.#clock = clock;
  }

  /** Takes one. 0 when there was one; otherwise in how many ms there will be. */
  take(key: string): number {
    const atMs = this.#clock.monotonicMs();
    const tokens = this.#tokensOf(key, atMs);
    if (tokens < 1) return Math.ceil(((1 - tokens) / this.#perSecond) * 1_000);
    // Last in the map: the first ones are those that have not been used for longest.
    this.#buckets.delete(key);
    this.#buckets.set(key, { tokens: tokens - 1, atMs });
    if (this.#buckets.size > mostBuckets) this.#forgetOldest();
    return 0;
  }

  #tokensOf(key: string, nowMs: number): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return this.#most;
    return Math.min(this.#most, bucket.tokens + ((nowMs - bucket.atMs) / 1_000) * this.#perSecond);
  }

  #forgetOldest(): void {
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }
}
