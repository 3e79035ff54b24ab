import type { Clock } from "../../clock.ts";
import { SharedParts } from "./shared-parts.ts";

/** An outage begins, or goes on for another minute. */
export interface OutageNews {
  readonly error: Error;
}

/** It is over. */
export interface OutageEnd {
  readonly downForMs: number;
}

/** A listener. All of them are given the same object. */
export interface OutageListener {
  readonly onDown: (news: OutageNews) => void;
  readonly onUp: (end: OutageEnd) => void;
}

// One killed connection, or a quick failover, is not an outage.
const sureAfterMs = 500;
const repeatMs = 60_000;

const shared = new SharedParts<Outages>();

/**
 * What all pools of a process know together about one database. It is away when a call fails that began some time after
 * another one had failed, with no success between them. It is back with the first success of a call that began since then.
 */
export class Outages {
  readonly #clock: Clock;
  readonly #key: string;
  readonly #listeners = new Set<OutageListener>();
  #failures = 0;
  /** How many calls had failed when the last one that succeeded began. */
  #failuresBeforeSuccess = 0;
  #firstFailureMs = 0;
  #toldMs: number | null = null;

  private constructor(clock: Clock, key: string) {
    this.#clock = clock;
    this.#key = key;
  }

  static join(clock: Clock, key: string, listener: OutageListener): Outages {
    const outages = shared.get(clock, key, () => new Outages(clock, key));
    outages.#listeners.add(listener);
    return outages;
  }

  leave(listener: OutageListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size === 0) shared.drop(this.#clock, this.#key);
  }

  /** A call begins. Pass the number to `succeeded` or `failed` when it ends. */
  begun(): number {
    return this.#failures;
  }

  succeeded(begun: number): void {
    // An answer from before the connections broke may arrive late; only a call that began since then says anything.
    this.#failuresBeforeSuccess = Math.max(this.#failuresBeforeSuccess, begun);
    if (this.#toldMs === null || begun < this.#failures) return;
    this.#toldMs = null;
    const end = { downForMs: this.#clock.monotonicMs() - this.#firstFailureMs };
    for (const { onUp } of this.#listeners) onUp(end);
  }

  failed(begun: number, error: Error): void {
    const nowMs = this.#clock.monotonicMs();
    const isFirst = this.#failures === this.#failuresBeforeSuccess;
    const isAfterAnother = begun > this.#failuresBeforeSuccess;
    this.#failures += 1;
    if (isFirst && this.#toldMs === null) this.#firstFailureMs = nowMs;
    if (!isAfterAnother || nowMs < this.#nextTellingMs) return;
    this.#toldMs = nowMs;
    const news = { error };
    for (const { onDown } of this.#listeners) onDown(news);
  }

  get #nextTellingMs(): number {
    return this.#toldMs === null ? this.#firstFailureMs + sureAfterMs : this.#toldMs + repeatMs;
  }
}
