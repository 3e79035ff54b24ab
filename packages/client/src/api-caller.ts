import { problemIn } from "./response-error.ts";

export interface ApiCallerParts {
  /** Where the server is mounted, without a slash at the end. */
  readonly baseUrl: string;
  readonly token: (() => string | Promise<string>) | null;
  readonly fetch: typeof fetch;
}

/** Calls the API with the caller's token, and asks for a new one when the server no longer accepts the old one. */
export class ApiCaller {
  readonly #parts: ApiCallerParts;
  #token: Promise<string> | null = null;

  constructor(parts: ApiCallerParts) {
    this.#parts = parts;
  }

  /** Rejects with a ResponseError if the server refuses. */
  get(path: string, headers: Record<string, string>, signal: AbortSignal | null): Promise<Response> {
    return this.#call(path, { headers, ...(signal === null ? {} : { signal }) });
  }

  /** The same for a write, with its body as JSON. */
  post(path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
    return this.#write("POST", path, body, headers);
  }

  put(path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
    return this.#write("PUT", path, body, headers);
  }

  #write(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
    return this.#call(path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }

  async #call(
    path: string,
    init: RequestInit & { readonly headers: Record<string, string> },
  ): Promise<Response> {
    for (let tries = 1; ; tries += 1) {
      const token = await this.#tokenForNow();
      const response = await this.#parts.fetch(`${this.#parts.baseUrl}/api/v1${path}`, {
        ...init,
        headers: token === null ? init.headers : { ...init.headers, authorization: `Bearer ${token}` },
      });
      if (response.ok) return response;
      const problem = await problemIn(response);
      if (response.status !== 401 || token === null || tries === 2) throw problem;
      this.#token = null;
    }
  }

  /** One token for all until it is refused, also when several ask at once. */
  async #tokenForNow(): Promise<string | null> {
    const { token } = this.#parts;
    if (token === null) return null;
    this.#token ??= Promise.resolve().then(token);
    try {
      return await this.#token;
    } catch (error) {
      this.#token = null;
      throw error;
    }
  }
}
