/**
 * One tab of a browser holds the lock and so has the stream. Where there are no Web Locks, as over plain HTTP, every tab
 * holds one of its own.
 */
export class StreamLock {
  readonly #name: string | null;
  readonly #onHeld: () => void;
  #leave: (() => void) | null = null;

  /** Without a name there is nobody to share the stream with. */
  constructor(name: string | null, onHeld: () => void) {
    this.#name = name;
    this.#onHeld = onHeld;
  }

  /** Whether this tab has the lock or waits for it. */
  get isWanted(): boolean {
    return this.#leave !== null;
  }

  request(): void {
    // Over plain HTTP a browser has no locks.
    const locks: LockManager | undefined = navigator.locks;
    if (locks === undefined || this.#name === null) {
      this.#leave = () => {};
      this.#onHeld();
      return;
    }
    const left = new AbortController();
    const held = new Promise<void>((resolve) => {
      this.#leave = () => {
        left.abort();
        resolve();
      };
    });
    locks
      .request(this.#name, { signal: left.signal }, () => {
        this.#onHeld();
        return held;
      })
      .catch(() => {
        // Left while waiting for the lock.
      });
  }

  leave(): void {
    this.#leave?.();
    this.#leave = null;
  }
}
