import { FetchError, type GuardedFetch } from "@lockstep/guarded-fetch";
import robotsParser from "robots-parser";

interface Rules {
  isAllowed(url: string, userAgent: string): boolean | undefined;
}

interface Known {
  readonly rules: Promise<Rules | null>;
  readonly readAtMs: number;
}

const keptMs = 600_000;
const mostOrigins = 500;
// RFC 9309 asks for at least 500 KiB of it to be read.
const mostCharacters = 512_000;
// Its package is CommonJS, and its types speak of a default export that Node does not make.
const parseRobots = robotsParser as unknown as (url: string, text: string) => Rules;

/** What a site asks robots not to read, by RFC 9309. Kept for ten minutes, so that many pages of a site ask once. */
export class RobotsRules {
  readonly #fetch: Pick<GuardedFetch, "get">;
  readonly #userAgent: string;
  readonly #nowMs: () => number;
  readonly #known = new Map<string, Known>();

  constructor(parts: { fetch: Pick<GuardedFetch, "get">; userAgent: string; nowMs?: () => number }) {
    this.#fetch = parts.fetch;
    this.#userAgent = parts.userAgent;
    this.#nowMs = parts.nowMs ?? (() => performance.now());
  }

  /** Throws RobotsRefusal when the site does not want the page to be read. */
  async check(url: URL, signal: AbortSignal): Promise<void> {
    const rules = await orAborted(this.#rulesOf(url.origin), signal);
    if (rules?.isAllowed(url.href, this.#userAgent) === false) throw new RobotsRefusal(url);
  }

  #rulesOf(origin: string): Promise<Rules | null> {
    const known = this.#known.get(origin);
    if (known !== undefined && this.#nowMs() - known.readAtMs < keptMs) return known.rules;
    const rules = this.#read(origin);
    this.#known.delete(origin);
    this.#known.set(origin, { rules, readAtMs: this.#nowMs() });
    const [oldest] = this.#known.keys();
    if (this.#known.size > mostOrigins && oldest !== undefined) this.#known.delete(oldest);
    // What could not be read is asked for again by the next.
    rules.catch(() => this.#known.get(origin)?.rules === rules && this.#known.delete(origin));
    return rules;
  }

  async #read(origin: string): Promise<Rules | null> {
    // Not the signal of the job that asks first: others wait for the same answer.
    const { signal } = new AbortController();
    const url = `${origin}/robots.txt`;
    try {
      const { status, body } = await this.#fetch.get(url, { signal, types: ["text/plain"] });
      if (status >= 200 && status <= 299)
        return parseRobots(url, body.toString("utf8").slice(0, mostCharacters));
      if (status !== 429 && status < 500) return null;
      throw new FetchError(
        "network",
        `${url} answers with ${status}, so that it is not known what may be read there.`,
        { isFinal: false },
      );
    } catch (error) {
      // A page of HTML in its place, or something endless: there are no rules that could be followed.
      if (error instanceof FetchError && ["type", "size", "redirects"].includes(error.kind)) return null;
      throw error;
    }
  }
}

function orAborted<Value>(waited: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    waited.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** The site asks robots not to read this page. */
export class RobotsRefusal extends Error {
  override readonly name = "RobotsRefusal";

  constructor(url: URL) {
    super(`${url.origin}/robots.txt asks robots not to read ${url.pathname.slice(0, 200)}.`);
  }
}
