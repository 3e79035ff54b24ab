/** @typedef {"tick" | "longestTimeout" | "renewal" | "doubt"} Slot */

/** @type {Record<Slot, number>} */
const slots = { tick: 0, longestTimeout: 1, renewal: 2, doubt: 3 };
const none = -1;

/**
 * What the main thread and the heartbeat thread know of each other at any moment, also while one of them is
 * busy: a message would wait until it is read. Instants are of the one clock that all threads share.
 */
export class LeaseMemory {
  /** How far the main thread's clock is ahead of this thread's own. */
  static #aheadMs = 0;

  /** @type {BigInt64Array} */
  #micros;

  /** @param {SharedArrayBuffer} [buffer] what the other thread was given */
  constructor(buffer) {
    this.#micros = new BigInt64Array(buffer ?? new SharedArrayBuffer(32));
    if (buffer === undefined) this.doubtAtMs = null;
  }

  /** @returns {SharedArrayBuffer} */
  get buffer() {
    return /** @type {SharedArrayBuffer} */ (this.#micros.buffer);
  }

  /** Unlike `performance.now()`, it counts from the same point in every thread of Node. */
  static nowMs() {
    return Number(process.hrtime.bigint() / 1_000n) / 1_000 + LeaseMemory.#aheadMs;
  }

  /**
   * For a thread: it has begun after this instant of the main thread. Bun and Deno count from the start of each thread, and a clock that
   * is behind would date renewals so early that the lease is taken for lost. Set by this, it is never ahead: a lease seems a little older than
   * it is.
   * @param {number} mainThreadMs
   */
  static catchUp(mainThreadMs) {
    LeaseMemory.#aheadMs += Math.max(0, mainThreadMs - LeaseMemory.nowMs());
  }

  /**
   * When the main thread was last seen to move; null: it holds no jobs, and moves only when something comes.
   * @returns {number | null}
   */
  get tickAtMs() {
    return this.#readOptional("tick");
  }

  set tickAtMs(ms) {
    this.#write("tick", ms ?? none);
  }

  /**
   * How long the handlers that run now may take; null: one of them has no limit.
   * @returns {number | null}
   */
  get longestTimeoutMs() {
    return this.#readOptional("longestTimeout");
  }

  set longestTimeoutMs(ms) {
    this.#write("longestTimeout", ms ?? none);
  }

  /**
   * When the last heartbeat that renewed the lease was sent.
   * @returns {number}
   */
  get renewedAtMs() {
    return this.#read("renewal");
  }

  set renewedAtMs(ms) {
    this.#write("renewal", ms);
  }

  /**
   * When the reply to a claim was last lost; null: nothing is in doubt.
   * @returns {number | null}
   */
  get doubtAtMs() {
    return this.#readOptional("doubt");
  }

  set doubtAtMs(ms) {
    this.#write("doubt", ms ?? none);
  }

  /**
   * Ends this doubt, unless a newer one has taken its place.
   * @param {number} doubtAtMs
   */
  endDoubt(doubtAtMs) {
    Atomics.compareExchange(this.#micros, slots.doubt, asMicros(doubtAtMs), asMicros(none));
  }

  /** @param {Slot} slot */
  #read(slot) {
    return Number(Atomics.load(this.#micros, slots[slot])) / 1_000;
  }

  /** @param {Slot} slot */
  #readOptional(slot) {
    const ms = this.#read(slot);
    return ms < 0 ? null : ms;
  }

  /**
   * @param {Slot} slot
   * @param {number} ms
   */
  #write(slot, ms) {
    Atomics.store(this.#micros, slots[slot], asMicros(ms));
  }
}

/** @param {number} ms */
function asMicros(ms) {
  return BigInt(Math.round(ms * 1_000));
}
