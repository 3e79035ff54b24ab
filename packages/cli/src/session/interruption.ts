import type { ExitName } from "./exit-code.ts";
import type { Io } from "./io.ts";

/** What ends a command from outside: a signal, --timeout, or a reader of stdout that has gone. */
export class Interruption {
  readonly signal: AbortSignal;
  /** Resolves when it has come, with how the command ends. */
  readonly came: Promise<ExitName>;
  readonly #ends: (() => void)[] = [];

  constructor(io: Io, options: { readonly timeoutMs: number | null; readonly leavesSignals: boolean }) {
    const controller = new AbortController();
    this.signal = controller.signal;
    const { promise, resolve } = deferred<ExitName>();
    this.came = promise;
    const end = (exit: ExitName) => {
      resolve(exit);
      controller.abort();
    };
    if (!options.leavesSignals) {
      this.#ends.push(io.onSignal((signal) => end(signal === "SIGINT" ? "interrupted" : "terminated")));
    }
    // Whoever closes a pipe has read enough.
    const closed = () => end("done");
    io.outputClosed.addEventListener("abort", closed);
    this.#ends.push(() => io.outputClosed.removeEventListener("abort", closed));
    if (options.timeoutMs !== null) {
      const over = new AbortController();
      this.#ends.push(() => over.abort());
      void io.clock.sleep(options.timeoutMs, over.signal).then(() => {
        if (!over.signal.aborted) end("timedOut");
      });
    }
  }

  stop(): void {
    for (const end of this.#ends) end();
  }
}

function deferred<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
