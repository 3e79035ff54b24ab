const localNames = ["127.0.0.1", "localhost", "[::1]"];

/** A page of another site must not send requests as the user of this machine, whatever name it calls it by. */
export function isFromThisMachine(request: Request): boolean {
  const { hostname, origin: own } = new URL(request.url);
  const origin = request.headers.get("origin");
  return localNames.includes(hostname) && (origin === null || origin === own);
}
