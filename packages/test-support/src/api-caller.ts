export interface ApiAnswer<Body> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed, where it is JSON; otherwise the text. */
  readonly body: Body;
}

export interface ApiRequest {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** What an adapter hands over beside a request of this machine. */
export const localPeer = { incoming: { socket: { remoteAddress: "127.0.0.1" } } };

/** Sends requests such as "POST /jobs" to a server without a socket, as from this machine. */
export function apiCaller(
  server: { fetch(request: Request, peer?: typeof localPeer): Promise<Response> },
  base = "http://localhost/api/v1",
): <Body = Record<string, unknown>>(line: string, request?: ApiRequest) => Promise<ApiAnswer<Body>> {
  return async <Body>(line: string, { token, body, headers = {} }: ApiRequest = {}) => {
    const [method = "GET", path = "/"] = line.split(/ (.*)/s);
    const response = await server.fetch(
      new Request(base + path, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
      localPeer,
    );
    const text = await response.text();
    const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      headers: response.headers,
      body: (isJson ? JSON.parse(text) : text) as Body,
    };
  };
}
