import type { GuardedFetch } from "@lockstep/guarded-fetch";
import { decodeHtml } from "./decode-html.ts";
import type { Page } from "./page.ts";
import type { RobotsRules } from "./robots-rules.ts";

const types = ["text/html", "application/xhtml+xml"];

/** Reads a page as its site allows it, and turns it into text. */
export class PageReader {
  readonly #fetch: Pick<GuardedFetch, "get">;
  readonly #robots: Pick<RobotsRules, "check">;

  constructor(parts: { fetch: Pick<GuardedFetch, "get">; robots: Pick<RobotsRules, "check"> }) {
    this.#fetch = parts.fetch;
    this.#robots = parts.robots;
  }

  async read(address: string, signal: AbortSignal): Promise<Page> {
    const { url, status, headers, body, redirects } = await this.#fetch.get(address, {
      signal,
      types,
      beforeHop: (hop) => this.#robots.check(hop, signal),
    });
    if (status < 200 || status > 299) throw new PageStatusError(url, status, headers["retry-after"]);
    const { html, charset } = decodeHtml(body, headers["content-type"]);
    return { url: url.href, redirects, headers, charset, sizeBytes: body.length, html };
  }
}

/** The site answered, but not with a page. */
export class PageStatusError extends Error {
  override readonly name = "PageStatusError";
  readonly status: number;
  readonly retryAfter: string | undefined;

  constructor(url: URL, status: number, retryAfter: string | undefined) {
    super(`${url.host}${url.pathname.slice(0, 200)} answers with ${status}.`);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
