import type { EndingSignal, Io } from "../session/io.ts";

/**
 * npm passes a Ctrl-C on to a program that the terminal has told already: what comes so soon is the same order,
 * not a second one.
 */
const sameOrderMs = 300;

/** SIGINT and SIGTERM as a long-running command takes them: the first lets it drain, another one aborts. */
export class StopOrders {
  readonly #drain = new AbortController();
  readonly #abort = new AbortController();
  readonly #end: () => void;
  #lastMs = Number.NEGATIVE_INFINITY;
  #signal: EndingSignal | null = null;

  constructor(io: Pick<Io, "onSignal" | "clock">) {
    this.#end = io.onSignal((signal) => {
      const nowMs = io.clock.monotonicMs();
      const isSame = nowMs - this.#lastMs < sameOrderMs;
      this.#lastMs = nowMs;
      if (!isSame) this.give(signal);
    });
  }

  /** Aborts at the first order. */
  get drain(): AbortSignal {
    return this.#drain.signal;
  }

  /** Aborts at the second. */
  get abort(): AbortSignal {
    return this.#abort.signal;
  }

  /** The latest one. */
  get signal(): EndingSignal | null {
    return this.#signal;
  }

  give(signal: EndingSignal): void {
    this.#signal = signal;
    if (this.#drain.signal.aborted) this.#abort.abort();
    else this.#drain.abort();
  }

  stopListening(): void {
    this.#end();
  }
}

/** Resolves at the signal; at once when it has come already. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
