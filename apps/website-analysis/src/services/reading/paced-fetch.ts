import type { GuardedFetch } from "@lockstep/guarded-fetch";

export interface Turns {
  /** Resolves when the host may be asked. */
  take(host: string, signal: AbortSignal): Promise<void>;
}

/** Waits for a host's turn before each request to it: the first, every redirect, and robots.txt like any other. */
export class PacedFetch implements Pick<GuardedFetch, "get"> {
  readonly #fetch: Pick<GuardedFetch, "get">;
  readonly #turns: Turns;

  constructor(fetch: Pick<GuardedFetch, "get">, turns: Turns) {
    this.#fetch = fetch;
    this.#turns = turns;
  }

  get(address: string | URL, options: Parameters<GuardedFetch["get"]>[1]): ReturnType<GuardedFetch["get"]> {
    const beforeHop = async (url: URL) => {
      await options.beforeHop?.(url);
      await this.#turns.take(url.host, options.signal);
    };
    return this.#fetch.get(address, { ...options, beforeHop });
  }
}
