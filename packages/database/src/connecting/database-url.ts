import type { TargetSessionAttrs } from "./connection-options.ts";

const example = "such as postgres://user:password@host:5432/database";

/** What is wrong with a URL, to follow its name, or null. It never repeats the URL, since it holds a password. */
export function databaseUrlProblem(value: unknown): string | null {
  if (typeof value !== "string" || value === "") return `must be a PostgreSQL URL ${example}`;
  if (!/^postgres(ql)?:\/\//.test(value)) return `must begin with postgres:// or postgresql://, ${example}`;
  // Without a host, a folder with the server's socket may be named: postgres://user@/database?host=/var/run/postgresql
  const urls = urlsOfHosts(value);
  if (typeof urls === "string") return urls;
  if (!urls.every((url) => URL.canParse(url.replace("@/", "@localhost/")))) {
    return `is not a URL that can be read (expected one ${example}): write special characters in user and password percent-encoded, "#" as %23 and "/" as %2F`;
  }
  const attrs = parameter(value, "target_session_attrs");
  return attrs === null ? null : targetSessionAttrsProblem(attrs, "target_session_attrs");
}

/** One URL for each host that a URL names; it must have been checked. */
export function splitHosts(databaseUrl: string): string[] {
  const urls = urlsOfHosts(databaseUrl);
  if (typeof urls === "string") throw new Error(`The database URL ${urls}.`);
  return urls;
}

export function targetOfUrl(databaseUrl: string): TargetSessionAttrs | null {
  return parameter(databaseUrl, "target_session_attrs") as TargetSessionAttrs | null;
}

export function targetSessionAttrsProblem(value: unknown, name: string): string | null {
  if (value === "any" || value === "read-write" || value === "primary") return null;
  return `has a ${name} that cannot be used, and may have "any", "read-write" or "primary": jobs are written, so a standby is of no use`;
}

/** "a:1,b:2" before the path, or host=a,b and port=1,2 among the parameters; a text: what is wrong with them. */
function urlsOfHosts(url: string): string[] | string {
  const [, scheme = "", authority = "", rest = ""] = /^([^:]+:\/\/)([^/?#]*)(.*)$/s.exec(url) ?? [];
  // A "/" that was not encoded ends it in the middle of a password.
  const isCutShort = !authority.includes("@") && rest.includes("@");
  const at = authority.lastIndexOf("@") + 1;
  const places = authority.slice(at).split(",");
  const names = listOf(parameter(url, "host"));
  const ports = listOf(parameter(url, "port"));
  if (isCutShort || (places.length === 1 && names.length < 2 && ports.length < 2)) return [url];
  const before = `${scheme}${authority.slice(0, at)}`;
  if (places.length > 1) {
    if (names.length > 0 || ports.length > 0) {
      return "names hosts before the path and among the parameters: leave out host and port there";
    }
    return places.includes("")
      ? "names several hosts, and one of them is empty"
      : places.map((place) => `${before}${place}${rest}`);
  }
  if (ports.length > 1 && ports.length !== names.length) {
    return `has ${names.length} host(s) and ${ports.length} ports: give one port for all, or one for each`;
  }
  if (names.includes("")) return "names several hosts, and one of them is empty";
  const kept = rest.replace(/(?<=[?&])(host|port)=[^&#]*&?/g, "").replace(/[?&]$/, "");
  const mark = kept.includes("?") ? "&" : "?";
  return names.map((name, index) => {
    const port = ports[index] ?? ports[0];
    const added = `host=${encodeURIComponent(name)}${port === undefined ? "" : `&port=${port}`}`;
    return `${before}${places[0]}${kept}${mark}${added}`;
  });
}

function parameter(url: string, name: string): string | null {
  const query = url.slice(url.indexOf("?") + 1);
  return url.includes("?") ? new URLSearchParams(query.split("#")[0]).get(name) : null;
}

function listOf(value: string | null): string[] {
  return value === null ? [] : value.split(",");
}
