const harmless = new Set(["GET", "HEAD", "OPTIONS"]);
const ownNames = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Refuses names that the application is not known by, since a page of another site could let its own name lead here and
 * read answers as its own (DNS rebinding), and writes that a browser sends for such a page. There are no accounts here whose
 * cookies could be misused, but a browser reaches what listens on its own machine alone.
 */
export function refuseStrangers(request: Request, hosts: readonly string[]): Response | null {
  const host = (request.headers.get("host") ?? new URL(request.url).host).toLowerCase();
  const name = host.replace(/:\d+$/, "").replace(/\.$/, "");
  if (!ownNames.test(name) && !hosts.includes(name) && !hosts.includes("*")) {
    return refusal(421, "This host name is not allowed: add it to ENTRIES_HOSTS.");
  }
  if (harmless.has(request.method)) return null;
  const site = request.headers.get("sec-fetch-site") ?? "none";
  const origin = request.headers.get("origin");
  if (["same-origin", "none"].includes(site) && (origin === null || hostOf(origin) === host)) return null;
  return refusal(403, "Entries are made on pages of this application; this request comes from another site.");
}

function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}

function refusal(status: number, error: string): Response {
  return Response.json({ error, fields: {} }, { status });
}
