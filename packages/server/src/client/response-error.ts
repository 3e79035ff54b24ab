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
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  const problem = (await response.json().catch(() => null)) as { code?: unknown; detail?: unknown } | null;
  return new ResponseError(
    response.status,
    typeof problem?.code === "string" ? problem.code : "unknown",
    typeof problem?.detail === "string" ? problem.detail : `The server answered ${response.status}.`,
    Number.isFinite(seconds) ? seconds * 1_000 : null,
  );
}
