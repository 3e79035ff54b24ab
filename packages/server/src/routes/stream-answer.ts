import type { Context } from "hono";
import { callerOf } from "../middleware/needs.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import { addressOf, type ServerEnv } from "../server-env.ts";
import type { RouteParts } from "./route-parts.ts";

/** Server-sent events, or a page of them for those who ask for JSON alone. */
export async function streamAnswer(
  c: Context<ServerEnv>,
  { page, body }: { page: () => Promise<object>; body: () => Promise<ReadableStream<Uint8Array>> },
): Promise<Response> {
  const accepted = c.req.header("accept") ?? "";
  if (accepted.includes("application/json") && !accepted.includes("text/event-stream")) {
    return c.json(await page(), 200);
  }
  const headers = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
  };
  // A HEAD request reads no stream, and would keep its place until its time is over.
  if (c.req.method === "HEAD") return c.body(null, 200, headers);
  return c.body(await body(), 200, headers);
}

/** One of the streams that may be open; what it returns gives the place back. */
export function takePlace({ live, config }: RouteParts, c: Context<ServerEnv>): () => void {
  const caller = callerOf(c);
  const isFromAnywhere = config.access === "loopback" || caller.scope?.jobId != null;
  const place = live.places.take(isFromAnywhere ? `${caller.user} ${addressOf(c.env)}` : caller.user);
  if (typeof place !== "string") return place;
  const headers = { "Retry-After": "15" };
  throw place === "all are taken"
    ? new ProblemError("streams.full", "All streams of this server are in use: try again later.", { headers })
    : new ProblemError(
        "streams.too_many",
        "You have the most streams open that are allowed: close one first.",
        {
          headers,
        },
      );
}
