import type { InputStream } from "../session/io.ts";

const controlC = "\u0003";

/** What the keys of a terminal do while `lockstep dev` runs. The terminal is as before once `stop` was called. */
export class DevKeys {
  readonly #stdin: InputStream;
  readonly #actions: { readonly onOpen: () => void; readonly onQuit: () => void };

  constructor(stdin: InputStream, actions: { readonly onOpen: () => void; readonly onQuit: () => void }) {
    this.#stdin = stdin;
    this.#actions = actions;
    stdin.setRawMode?.(true);
    // Ends when the process lets go of the terminal, with an error that means nothing.
    this.#read().catch(() => {});
  }

  stop(): void {
    this.#stdin.setRawMode?.(false);
  }

  async #read(): Promise<void> {
    for await (const chunk of this.#stdin) {
      for (const key of chunk.toString()) {
        if (key === "o") this.#actions.onOpen();
        else if (key === "q" || key === controlC) this.#actions.onQuit();
      }
    }
  }
}
