import type { ConnectionConfig, ConnectionHost } from "./connection-options.ts";
import { databaseUrlProblem, targetSessionAttrsProblem } from "./database-url.ts";

const parts = [
  "connectionString",
  "host",
  "port",
  "hosts",
  "targetSessionAttrs",
  "user",
  "database",
  "password",
  "ssl",
  "options",
] as const satisfies readonly (keyof ConnectionConfig)[];

/** What is wrong with a connection, to follow its name, or null. It never repeats a value, which may be a secret. */
export function connectionProblem(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return "must be an object such as { host, port, user, database, password, ssl }";
  }
  const unknown = Object.keys(value).find((key) => !(parts as readonly string[]).includes(key));
  if (unknown !== undefined) return `has no part "${unknown}": it may have ${parts.join(", ")}`;
  const config = value as ConnectionConfig;
  return (
    textProblem(config) ??
    portProblem(config.port, "port") ??
    hostsProblem(config) ??
    (config.targetSessionAttrs === undefined
      ? null
      : targetSessionAttrsProblem(config.targetSessionAttrs, "targetSessionAttrs")) ??
    passwordProblem(config.password) ??
    tlsProblem(config.ssl) ??
    urlProblem(config)
  );
}

function textProblem(config: ConnectionConfig): string | null {
  const names = ["host", "user", "database", "options"] as const;
  const wrong = names.find((name) => config[name] !== undefined && !isText(config[name]));
  return wrong === undefined ? null : `has a ${wrong} that is no text`;
}

function portProblem(port: unknown, name: string): string | null {
  if (port === undefined) return null;
  const isPort = Number.isInteger(port) && Number(port) > 0 && Number(port) < 65_536;
  return isPort ? null : `has a ${name} that is no number from 1 to 65535`;
}

function hostsProblem({ host, hosts }: ConnectionConfig): string | null {
  if (hosts === undefined) return null;
  if (host !== undefined) return "has host and hosts: give one of them";
  const isHost = (one: Partial<ConnectionHost> | null) => typeof one === "object" && isText(one?.host);
  if (!Array.isArray(hosts) || hosts.length === 0 || !hosts.every(isHost)) {
    return 'has hosts that cannot be used: give a list such as [{ host: "a", port: 5432 }, { host: "b" }]';
  }
  return (
    hosts.map(({ port }) => portProblem(port, "port among its hosts")).find((one) => one !== null) ?? null
  );
}

function passwordProblem(password: unknown): string | null {
  const isRight = password === undefined || typeof password === "string" || typeof password === "function";
  return isRight ? null : "has a password that is neither a text nor a function";
}

export function tlsProblem(ssl: unknown): string | null {
  if (ssl === undefined || typeof ssl === "boolean") return null;
  if (typeof ssl !== "object" || ssl === null) return "has an ssl that is neither true, false nor an object";
  try {
    structuredClone(ssl);
    return null;
  } catch {
    return "has an ssl with a function in it, which cannot be handed to the heartbeat's thread: give ca, cert, key and servername as texts";
  }
}

function urlProblem(config: ConnectionConfig): string | null {
  const { connectionString: url } = config;
  if (url === undefined) return null;
  const problem = databaseUrlProblem(url);
  if (problem !== null) return `has a connectionString that ${problem}`;
  const twice = (["host", "hosts", "port", "user", "database", "options"] as const).find(
    (name) => config[name] !== undefined,
  );
  if (twice !== undefined) return `has connectionString and ${twice}: give one of them`;
  if (config.password !== undefined && /^[^:]+:\/\/[^/?#@]*:[^/?#]*@|[?&]password=/.test(url)) {
    return "has a password beside the one in its connectionString: give one of them";
  }
  if (config.ssl !== undefined && /[?&]ssl\w*=/.test(url)) {
    return "has ssl beside the ssl parameters of its connectionString: give one of them";
  }
  return config.targetSessionAttrs !== undefined && /[?&]target_session_attrs=/.test(url)
    ? "has targetSessionAttrs beside the one in its connectionString: give one of them"
    : null;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
