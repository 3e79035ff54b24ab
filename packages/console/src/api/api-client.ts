import { liveStatus } from "../live/live-status.ts";
import { noteServerTime } from "../live/use-now.ts";
import { apiBase } from "./base-path.ts";
import { exactText, parseExact } from "./exact-json.ts";
import { ProblemError } from "./problem-error.ts";

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Answer<Body> {
  readonly body: Body;
  readonly status: number;
  readonly etag: string | null;
}

interface Request {
  readonly method?: "GET" | "POST" | "PUT";
  readonly query?: Query | undefined;
  readonly body?: unknown;
  readonly ifMatch?: string | null | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly isExact?: boolean;
}

export async function get<Body>(path: string, query?: Query, signal?: AbortSignal): Promise<Body> {
  return (await call<Body>(path, { query, signal })).body;
}

/** Every write carries a key of its own: sent again, it is done once. */
export async function post<Body>(path: string, body: unknown = {}, ifMatch?: string | null): Promise<Body> {
  return (await call<Body>(path, { method: "POST", body, ifMatch })).body;
}

export async function call<Body>(path: string, request: Request = {}): Promise<Answer<Body>> {
  const { method = "GET", query = {}, body, ifMatch, signal, isExact } = request;
  const headers = new Headers({ accept: "application/json" });
  if (method !== "GET") {
    headers.set("content-type", "application/json");
    headers.set("idempotency-key", randomKey());
  }
  if (ifMatch) headers.set("if-match", ifMatch);
  const response = await fetch(`${apiBase}${path}${queryText(query)}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: exactText(body, 0) }),
    ...(signal === undefined ? {} : { signal }),
    credentials: "same-origin",
  }).catch((error: unknown) => {
    if (signal?.aborted !== true) liveStatus.unanswered();
    throw error;
  });
  liveStatus.answered();
  noteServerTime(response.headers.get("date"));
  const text = await response.text();
  if (!response.ok) throw new ProblemError(response.status, problemOf(text));
  const parsed = text === "" ? null : isExact ? parseExact(text) : JSON.parse(text);
  return { body: parsed as Body, status: response.status, etag: response.headers.get("etag") };
}

export function queryText(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

function problemOf(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** crypto.randomUUID is there only over HTTPS and on localhost. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
