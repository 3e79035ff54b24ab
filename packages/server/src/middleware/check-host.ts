import { isIP } from "node:net";
import type { MiddlewareHandler } from "hono";
import { hostNameOf, isLoopback } from "../access/loopback.ts";
import type { ServerConfig } from "../config/server-settings.ts";
import { addressOf, type ServerEnv } from "../server-env.ts";
import { ProblemError } from "./problem-error.ts";

const signsOfAProxy = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/**
 * Refuses names it is not known by: a page of another site could otherwise let its own name lead to this machine and
 * read answers as its own (DNS rebinding). An address as such cannot be made to lead elsewhere.
 */
export function checkHost({
  hosts,
  access,
}: Pick<ServerConfig, "hosts" | "access">): MiddlewareHandler<ServerEnv> {
  const known = new Set(hosts.map((host) => host.toLowerCase()));
  const isServed = (name: string) =>
    isLoopback(name) || (access !== "loopback" && (known.has(name) || known.has("*") || isIP(name) !== 0));
  return async (c, next) => {
    const name = hostNameOf(c.req.header("host") ?? new URL(c.req.url).host);
    if (!isServed(name)) {
      throw new ProblemError(
        "host.unknown",
        access === "loopback"
          ? `With access "loopback" only the names of this machine itself are served, such as localhost; "${shown(name)}" is not one of them.`
          : `The server is not known as "${shown(name)}": add the name to the setting hosts.`,
      );
    }
    if (access === "loopback") refuseOthers(addressOf(c.env), (header) => c.req.header(header));
    if (access === "loopback") refuseOtherSites((header) => c.req.header(header));
    await next();
  };
}

// The Host is whatever the caller says; only the socket tells.
function refuseOthers(address: string | null, header: (name: string) => string | undefined): void {
  const proxied = signsOfAProxy.find((name) => header(name) !== undefined);
  const isNeighbour = address !== null && isLoopback(address);
  if (isNeighbour && proxied === undefined) return;
  throw new ProblemError(
    "origin.refused",
    `With access "loopback" only this machine itself is served, and ${
      isNeighbour
        ? `this request came through a proxy (${proxied})`
        : address === null
          ? "the host does not tell where this request comes from (the second argument of fetch)"
          : "this request comes from another one"
    }: give the server tokens or authorize(request).`,
  );
}

/**
 * Everyone on this machine is one user. A page of another site cannot read a stream, but it could use up all places for
 * streams by requesting them as images or scripts. Links from other sites are allowed.
 */
function refuseOtherSites(header: (name: string) => string | undefined): void {
  if (header("sec-fetch-site") !== "cross-site" || header("sec-fetch-mode") === "navigate") return;
  throw new ProblemError(
    "origin.refused",
    'With access "loopback" only pages of this server itself are served, and this request comes from a page of another site.',
  );
}

function shown(name: string): string {
  return name.slice(0, 100);
}
