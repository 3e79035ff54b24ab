import type { MiddlewareHandler } from "hono";
import { approvalsPath } from "../approvals/approvals-path.ts";
import type { ServerEnv } from "../server-env.ts";
import { ProblemError } from "./problem-error.ts";

const harmless = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses writes that a page of another site makes in a browser's name. Programs that are no browsers send neither of
 * the two headers.
 */
export const refuseCrossSite: MiddlewareHandler<ServerEnv> = async (c, next) => {
  // A form of an approval's page comes as forms do, and without its origin, since its page tells nobody where it is. No other site can send
  // it: nothing counts there but the link itself.
  if (!harmless.has(c.req.method) && !c.req.path.startsWith(approvalsPath)) {
    const site = c.req.header("sec-fetch-site") ?? "none";
    const origin = c.req.header("origin");
    const host = c.req.header("host") ?? new URL(c.req.url).host;
    if (
      !["same-origin", "none"].includes(site) ||
      (origin !== undefined && hostOf(origin) !== host.toLowerCase())
    ) {
      throw new ProblemError(
        "origin.refused",
        "Writes are accepted from this server's own pages and from programs that are not browsers; this one comes from another site.",
      );
    }
    // A form of another site can send three types of content, and JSON is none of them.
    const type = c.req.header("content-type");
    if (type !== undefined && !/^application\/([\w.-]+\+)?json *(;|$)/i.test(type)) {
      throw new ProblemError(
        "media_type.unsupported",
        "Send the body as JSON, with Content-Type: application/json.",
      );
    }
  }
  await next();
};

/** With its port, unless that is the usual one of its scheme, as the Host header has it. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
