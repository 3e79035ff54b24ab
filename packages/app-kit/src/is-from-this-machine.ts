const localNames = ["127.0.0.1", "localhost", "[::1]"];

/** A page elsewhere must not ask in the name of whoever sits here, by whatever name it calls this machine. */
export function isFromThisMachine(request: Request): boolean {
  const { hostname, origin: own } = new URL(request.url);
  const origin = request.headers.get("origin");
  return localNames.includes(hostname) && (origin === null || origin === own);
}
