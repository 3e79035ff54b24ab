import { defaultFetchLimits, FetchError, type GuardedFetch } from "@lockstep/guarded-fetch";
import { RobotsFile } from "./robots-file.ts";

interface Known {
  readonly rules: Promise<RobotsFile | null>;
  readonly readAtMs: number;
  /** Of the rules that are held; none before they are read. */
  characters: number;
}

const keptMs = 600_000;
const mostOrigins = 500;
// RFC 9309 asks for at least 500 KiB of it to be read.
const mostBytes = 512_000;
// Whoever has a thousand names has a thousand files, each as long as may be.
const mostKeptCharacters = 8_000_000;

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
    if (rules?.allows(url) === false) throw new RobotsRefusal(url);
  }

  #rulesOf(origin: string): Promise<RobotsFile | null> {
    const known = this.#known.get(origin);
    if (known !== undefined && this.#nowMs() - known.readAtMs < keptMs) return known.rules;
    const asked: Known = { rules: this.#read(origin), readAtMs: this.#nowMs(), characters: 0 };
    this.#known.delete(origin);
    this.#known.set(origin, asked);
    asked.rules.then(
      (rules) => {
        asked.characters = rules?.characters ?? 0;
        this.#forgetOldest();
      },
      // What could not be read is asked for again by the next.
      () => this.#known.get(origin) === asked && this.#known.delete(origin),
    );
    return asked.rules;
  }

  #forgetOldest(): void {
    let characters = [...this.#known.values()].reduce((sum, known) => sum + known.characters, 0);
    for (const [origin, known] of this.#known) {
      if (this.#known.size <= mostOrigins && characters <= mostKeptCharacters) return;
      characters -= known.characters;
      this.#known.delete(origin);
    }
  }

  async #read(origin: string): Promise<RobotsFile | null> {
    // Not the signal of the job that asks first: others wait for the same answer.
    const { signal } = new AbortController();
    const url = `${origin}/robots.txt`;
    const beginning = new Beginning();
    try {
      const onChunk = beginning.take;
      const { status } = await this.#fetch.get(url, { signal, types: ["text/plain"], onChunk });
      if (status >= 200 && status <= 299) return this.#rulesIn(beginning);
      if (status !== 429 && status < 500) return null;
      throw new FetchError(
        "network",
        `${url} answers with ${status}, so it is not known what may be read there.`,
        { isFinal: false },
      );
    } catch (error) {
      if (error instanceof EnoughRead) return this.#rulesIn(beginning);
      // A page of HTML in its place, or a loop: there are no rules that could be followed.
      if (error instanceof FetchError && ["type", "redirects"].includes(error.kind)) return null;
      throw error;
    }
  }

  #rulesIn({ text }: Beginning): RobotsFile {
    return new RobotsFile({ text, robot: this.#userAgent, longestUrl: defaultFetchLimits.maxUrlLength });
  }
}

/** The part of a file that is used; the rest is not read. */
class Beginning {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  readonly take = async (chunk: Buffer): Promise<void> => {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > mostBytes) throw new EnoughRead();
  };

  /** Without a line that has lost its end: half a rule forbids more than the whole one. */
  get text(): string {
    const bytes = Buffer.concat(this.#chunks);
    const end = bytes.length > mostBytes ? bytes.lastIndexOf("\n", mostBytes) + 1 : bytes.length;
    return bytes.toString("utf8", 0, end);
  }
}

class EnoughRead extends Error {}

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
