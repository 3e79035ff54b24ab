import type { Readable } from "node:stream";
import { Agent, request } from "undici";
import type { AddressGuard } from "./address-guard.ts";
import { FetchError } from "./fetch-error.ts";
import { guardedConnector, type OpenSocket } from "./guarded-connector.ts";
import { networkErrorOf } from "./network-error.ts";
import { readBody } from "./read-body.ts";

export interface FetchLimits {
  readonly connectMs: number;
  /** From the first connection to the last byte, redirects included. */
  readonly totalMs: number;
  readonly maxBytes: number;
  readonly maxRatio: number;
  readonly maxHeaderBytes: number;
  readonly maxRedirects: number;
  /** Of an address as it is sent, the first one and every redirect's. */
  readonly maxUrlLength: number;
}

export const defaultFetchLimits: FetchLimits = {
  connectMs: 5_000,
  totalMs: 10_000,
  maxBytes: 5 * 1_048_576,
  maxRatio: 100,
  maxHeaderBytes: 65_536,
  maxRedirects: 5,
  maxUrlLength: 4_096,
};

export interface FetchOptions {
  readonly signal: AbortSignal;
  /** The content types that are read; of others only the status and the headers are. */
  readonly types: readonly string[];
  /** Asked before each hop, the first one and every redirect; it refuses by throwing. */
  readonly beforeHop?: ((url: URL) => Promise<void>) | undefined;
  /** Takes the body as it comes, which is then not held: what is large goes to a file. */
  readonly onChunk?: ((chunk: Buffer) => Promise<void>) | undefined;
}

export interface Fetched {
  /** Where the redirects ended. */
  readonly url: URL;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty unless the status is a 2xx, and where `onChunk` took it. */
  readonly body: Buffer;
  readonly redirects: readonly string[];
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** Reads addresses that strangers have given: public hosts only, at every hop, and never more than its limits. */
export class GuardedFetch {
  readonly #guard: AddressGuard;
  readonly #limits: FetchLimits;
  readonly #userAgent: string;
  readonly #agent: Agent;

  constructor({
    guard,
    userAgent,
    limits = {},
    open,
  }: {
    guard: AddressGuard;
    userAgent: string;
    limits?: Partial<FetchLimits>;
    open?: OpenSocket | undefined;
  }) {
    this.#guard = guard;
    this.#limits = { ...defaultFetchLimits, ...limits };
    this.#userAgent = userAgent;
    const { connectMs, maxHeaderBytes } = this.#limits;
    this.#agent = new Agent({
      connect: guardedConnector({ guard, timeoutMs: connectMs, open }),
      // A connection that is kept would be used again without being vetted again.
      pipelining: 0,
      maxHeaderSize: maxHeaderBytes,
      // The deadline of each reading covers both, and these would come up to half a second before it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async get(address: string | URL, options: FetchOptions): Promise<Fetched> {
    const { signal, beforeHop } = options;
    const { maxRedirects, totalMs } = this.#limits;
    const deadline = AbortSignal.timeout(totalMs);
    const either = AbortSignal.any([signal, deadline]);
    const redirects: string[] = [];
    let url = this.#parsed(address);
    for (;;) {
      this.#guard.checkUrl(url);
      await beforeHop?.(url);
      const answer = await this.#ask(url, options, either).catch((error: unknown) => {
        signal.throwIfAborted();
        if (error instanceof NotTakenError) throw error.cause;
        throw networkErrorOf(error, url, deadline.aborted ? totalMs : null);
      });
      if (!(answer instanceof URL)) return { ...answer, redirects };
      redirects.push(answer.href);
      if (redirects.length > maxRedirects) {
        throw new FetchError(
          "redirects",
          `${url.host} redirects more than ${maxRedirects} times, at last to ${answer.href.slice(0, 200)}.`,
        );
      }
      url = answer;
    }
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  /** Whoever looks at an address later, robots.txt first, does work for each of its characters. */
  #parsed(address: string | URL, base?: URL): URL {
    const url = urlOf(address, base);
    const { maxUrlLength } = this.#limits;
    if (url.href.length <= maxUrlLength) return url;
    throw new FetchError(
      "url",
      `${base ? `${base.host} redirects to an address that` : "The address"} is not read: it has ${url.href.length} characters, and at most ${maxUrlLength} are allowed.`,
    );
  }

  /** The answer, or where it redirects to. */
  async #ask(
    url: URL,
    { types, onChunk }: FetchOptions,
    signal: AbortSignal,
  ): Promise<Omit<Fetched, "redirects"> | URL> {
    const { statusCode, headers, body } = await request(url, {
      dispatcher: this.#agent,
      signal,
      headers: {
        "user-agent": this.#userAgent,
        accept: types.join(", "),
        "accept-encoding": "gzip, deflate, br",
      },
    });
    const plain = plainHeaders(headers);
    const answer = { url, status: statusCode, headers: plain, body: Buffer.alloc(0) };
    if (redirectStatuses.has(statusCode) && plain.location !== undefined) {
      drop(body);
      return this.#parsed(plain.location, url);
    }
    if (statusCode < 200 || statusCode > 299) {
      drop(body);
      return answer;
    }
    try {
      checkType(url, plain["content-type"], types);
    } catch (error) {
      drop(body);
      throw error;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of readBody(body, plain["content-encoding"] ?? "", this.#limits)) {
      if (onChunk === undefined) chunks.push(chunk);
      else await onChunk(chunk).catch(notTaken);
    }
    return { ...answer, body: Buffer.concat(chunks) };
  }
}

function urlOf(address: string | URL, base?: URL): URL {
  try {
    const url = new URL(address, base);
    url.hash = "";
    return url;
  } catch (error) {
    throw new FetchError("url", `"${String(address).slice(0, 200)}" is not the address of a page.`, {
      cause: error,
    });
  }
}

/** What `onChunk` threw is no trouble of the network, and comes out as it is. */
class NotTakenError extends Error {}

function notTaken(cause: unknown): never {
  throw new NotTakenError("The body was not taken", { cause });
}

/** Without a content type it may be anything, so it is judged by what was asked for. */
function checkType(url: URL, contentType: string | undefined, types: readonly string[]): void {
  const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (type === "" || types.includes(type)) return;
  throw new FetchError(
    "type",
    `${url.host} answers with ${type.slice(0, 80)}, not with ${types.join(", ")}.`,
  );
}

/** Destroying an unread body is an error to undici; there is nobody left to hear it. */
function drop(body: Readable): void {
  body.on("error", () => {});
  body.destroy();
}

function plainHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}
