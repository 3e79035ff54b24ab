// A page that is being looked at asks again after this time at the latest.
const longestAskedWaitMs = 300_000;

/** The server has refused a request, with a code for programs and a sentence for people. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
  readonly status: number;
  readonly code: string;
  readonly retryAfterMs: number | null;

  constructor(status: number, code: string, detail: string, retryAfterMs: number | null) {
    super(detail);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }

  /** Asking again later may help; otherwise the question is wrong. */
  get isPassing(): boolean {
    return this.status >= 500 || this.status === 408 || this.status === 429 || this.status === 401;
  }
}

export async function problemIn(response: Response): Promise<ResponseError> {
  const problem = (await response.json().catch(() => null)) as { code?: unknown; detail?: unknown } | null;
  return new ResponseError(
    response.status,
    typeof problem?.code === "string" ? problem.code : "unknown",
    typeof problem?.detail === "string" ? problem.detail : `The server answered ${response.status}.`,
    askedWaitMs(response.headers),
  );
}

/** What Retry-After asks for: seconds, or a date, which proxies send. By the sender's clock: this one may be wrong. */
function askedWaitMs(headers: Headers): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  const waitMs = /^\d+$/.test(text)
    ? Number(text) * 1_000
    : Date.parse(text) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(waitMs) ? null : Math.min(longestAskedWaitMs, Math.max(0, waitMs));
}
