import { PermanentError } from "lockstep";
import { z } from "zod";

export interface RegisterSettings {
  /** Where its login, its list and its documents are. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly timeoutMs: number;
}

export interface RegisterDocument {
  readonly id: string;
  readonly name: string;
}

const listed = z.array(z.object({ id: z.union([z.string(), z.number()]), name: z.string().optional() }));
const mostListed = 10_000;
const refusedStatuses = new Set([401, 403]);

/**
 * A register that is signed in to with a form and keeps its session in a cookie: POST login, GET documents for the list,
 * GET documents/ID for a PDF. A session that has ended is noticed by the answer, and another one begun.
 */
export class RegisterClient {
  readonly #settings: RegisterSettings;
  #session: Promise<string> | null = null;

  constructor(settings: RegisterSettings) {
    this.#settings = settings;
  }

  async list(signal: AbortSignal): Promise<RegisterDocument[]> {
    const answer = await this.#get("documents", signal);
    const read = listed.safeParse(await answer.json().catch(() => null));
    if (!read.success) throw new Error(`${this.#host} gave a list that is no array of documents with an id.`);
    return read.data.slice(0, mostListed).map(({ id, name = `${id}.pdf` }) => ({ id: String(id), name }));
  }

  async fetch(id: string, take: (chunk: Uint8Array) => Promise<void>, signal: AbortSignal): Promise<void> {
    const answer = await this.#get(`documents/${encodeURIComponent(id)}`, signal);
    if (answer.body === null) return;
    for await (const chunk of answer.body) await take(chunk);
  }

  get #host(): string {
    return `The register ${new URL(this.#settings.url).host}`;
  }

  async #get(path: string, signal: AbortSignal): Promise<Response> {
    for (const isLast of [false, true]) {
      const session = this.#signedIn(signal);
      const answer = await this.#ask(path, { headers: { cookie: await session } }, signal);
      if (answer.ok) return answer;
      await answer.body?.cancel();
      if (!isOver(answer))
        throw outcomeOf(answer.status, `${this.#host} answers with ${answer.status} for ${path}.`);
      // Only the session that this answer was about: another request may have begun a new one already.
      if (this.#session === session) this.#session = null;
      if (isLast) break;
    }
    throw new Error(`${this.#host} ended the session right after it was begun.`);
  }

  /** One login for all who wait for it. */
  #signedIn(signal: AbortSignal): Promise<string> {
    if (this.#session === null) {
      const session = this.#signIn(signal);
      this.#session = session;
      session.catch(() => {
        if (this.#session === session) this.#session = null;
      });
    }
    return this.#session;
  }

  async #signIn(signal: AbortSignal): Promise<string> {
    const { user, password } = this.#settings;
    const body = new URLSearchParams({ user, password });
    const answer = await this.#ask("login", { method: "POST", body }, signal);
    await answer.body?.cancel();
    const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
    const isRedirect = answer.status >= 300 && answer.status < 400;
    if ((answer.ok || isRedirect) && cookies.length > 0) return cookies.join("; ");
    if (answer.status >= 500 || answer.status === 429)
      throw new Error(`Failed to login to the register: ${this.#host} answers with ${answer.status}.`);
    // Not tried again: registers lock accounts after some wrong passwords.
    throw new PermanentError(
      `Failed to login to the register: ${this.#host} refuses the user ${user} or the password. Check OCR_REGISTER_USER and OCR_REGISTER_PASSWORD, and retry the document.`,
    );
  }

  async #ask(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const { url, timeoutMs } = this.#settings;
    const address = new URL(path, url.endsWith("/") ? url : `${url}/`);
    const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return await fetch(address, { ...init, redirect: "manual", signal: either });
    } catch (error) {
      signal.throwIfAborted();
      throw new Error(`${this.#host} cannot be reached, or takes more than ${timeoutMs} ms.`, {
        cause: error,
      });
    }
  }
}

/** Registers send whoever is no longer signed in to the login. */
function isOver({ status }: Response): boolean {
  return refusedStatuses.has(status) || (status >= 300 && status < 400);
}

function outcomeOf(status: number, sentence: string): Error {
  return status >= 500 || status === 429 ? new Error(sentence) : new PermanentError(sentence);
}
