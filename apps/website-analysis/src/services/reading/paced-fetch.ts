import type { GuardedFetch } from "@lockstep/guarded-fetch";

export interface Turns {
  /** Resolves when the host may be asked, with what to call when that request is over. */
  take(host: string, signal: AbortSignal): Promise<{ end(): Promise<void> }>;
}

/** Waits for a host's turn before each request to it: the first, every redirect, and robots.txt like any other. */
export class PacedFetch implements Pick<GuardedFetch, "get"> {
  readonly #fetch: Pick<GuardedFetch, "get">;
  readonly #turns: Turns;

  constructor(fetch: Pick<GuardedFetch, "get">, turns: Turns) {
    this.#fetch = fetch;
    this.#turns = turns;
  }

  async get(
    address: string | URL,
    options: Parameters<GuardedFetch["get"]>[1],
  ): ReturnType<GuardedFetch["get"]> {
    let turn: Awaited<ReturnType<Turns["take"]>> | undefined;
    const endTurn = async () => {
      await turn?.end();
      turn = undefined;
    };
    const beforeHop = async (url: URL) => {
      // The request before this one was answered with a redirect.
      await endTurn();
      await options.beforeHop?.(url);
      turn = await this.#turns.take(url.host, options.signal);
    };
    try {
      return await this.#fetch.get(address, { ...options, beforeHop });
    } finally {
      await endTurn();
    }
  }
}
