/** "localhost:4400" → "localhost", "[::1]:80" → "::1", lower case. */
export function hostNameOf(host: string): string {
  const [, bracketed, plain = ""] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host.trim().toLowerCase()) ?? [];
  return (bracketed ?? plain).replace(/\.$/, "");
}

/** Whether a name or an address is this machine's own, and no other machine's can be. */
export function isLoopback(name: string): boolean {
  return (
    name === "localhost" ||
    name === "::1" ||
    /^127(\.\d{1,3}){3}$/.test(name) ||
    /^::ffff:127(\.\d{1,3}){3}$/.test(name)
  );
}
