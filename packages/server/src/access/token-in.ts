/** The token of a request: a bearer token, or the password of Basic, which is how a browser logs in; null for none. */
export function tokenIn(request: Request): string | null {
  const [, scheme = "", value = ""] = /^(\S+) +(\S+)$/.exec(request.headers.get("authorization") ?? "") ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme.toLowerCase() !== "basic") return null;
  const pair = Buffer.from(value, "base64").toString("utf8");
  const colon = pair.indexOf(":");
  return colon === -1 ? null : pair.slice(colon + 1);
}
