import type { ClientConfig } from "pg";
import type {
  ConnectionConfig,
  ConnectionOptions,
  PasswordFunction,
  PgPool,
  TargetSessionAttrs,
} from "./connection-options.ts";
import { connectionProblem, tlsProblem } from "./connection-problem.ts";
import type { HostConfig, Hosts } from "./connector.js";
import { databaseUrlProblem, splitHosts, targetOfUrl } from "./database-url.ts";

/** How to connect, from whatever it was told in: all connections are made with one of these. */
export interface ConnectionTarget extends Hosts {
  /** Null: the hosts have their password with them, or need none. */
  readonly password: PasswordFunction | null;
  /** The same for targets that lead to the same place in the same way. It holds passwords. */
  readonly key: string;
}

/** Checks how to connect and brings it into one form; throws with `refuse` what is wrong. */
export function connectionTarget(
  options: { readonly [Name in keyof ConnectionOptions]?: ConnectionOptions[Name] | null },
  refuse: (sentence: string) => Error,
): ConnectionTarget {
  const given = (["databaseUrl", "connection", "pool"] as const).filter(
    (name) => (options[name] ?? null) !== null,
  );
  const problem = (name: string, what: string | null) => {
    if (what !== null) throw refuse(`${name} ${what}.`);
  };
  if (given.length === 0) {
    throw refuse(
      "Say where PostgreSQL is: give databaseUrl, such as postgres://user:password@host:5432/database, or connection, or pool.",
    );
  }
  if (given.length > 1)
    throw refuse(`Give only one of ${given.join(" and ")}: each says where PostgreSQL is.`);
  const { databaseUrl, connection, pool } = options;
  if (databaseUrl !== undefined && databaseUrl !== null) {
    problem("databaseUrl", databaseUrlProblem(databaseUrl));
    return targetOf({ connectionString: databaseUrl });
  }
  if (connection !== undefined && connection !== null) {
    problem("connection", connectionProblem(connection));
    return targetOf(connection);
  }
  problem("pool", poolProblem(pool));
  return targetOf(configOfPool((pool as PgPool).options));
}

function poolProblem(pool: unknown): string | null {
  const { connect, options } = (pool ?? {}) as { connect?: unknown; options?: Record<string, unknown> };
  if (typeof connect !== "function" || typeof options !== "object" || options === null) {
    return "must be a pool of node-postgres, as new pg.Pool() makes it";
  }
  if (typeof options.stream === "function") {
    return "makes its sockets with a function (stream), which cannot be handed to the heartbeat's thread: give databaseUrl or connection instead, with an address that leads to PostgreSQL";
  }
  if (Number(options.max) < 2) {
    return "may open one connection only, and a call inside another would wait for ever: give it max: 2 or more";
  }
  const { connectionString: url } = options;
  const ofUrl = typeof url === "string" ? databaseUrlProblem(url) : null;
  return ofUrl === null ? tlsProblem(options.ssl) : `has a connectionString that ${ofUrl}`;
}

/** What a pool tells node-postgres of its server, with the precedence that node-postgres has. */
function configOfPool({
  connectionString,
  host,
  port,
  user,
  database,
  password,
  ssl,
  options,
}: ClientConfig) {
  return connectionString === undefined
    ? ({
        host,
        port: port === undefined ? undefined : Number(port),
        user,
        database,
        password,
        ssl,
        options,
      } as ConnectionConfig)
    : ({ connectionString, ssl, options } as ConnectionConfig);
}

function targetOf(config: ConnectionConfig): ConnectionTarget {
  const { connectionString: url, hosts, password, targetSessionAttrs } = config;
  const places: readonly HostConfig[] =
    url === undefined
      ? (hosts ?? [{ host: config.host }]).map((place) => ({ port: config.port, ...place }))
      : splitHosts(url).map((connectionString) => ({ connectionString }));
  const common: HostConfig = {
    user: config.user,
    database: config.database,
    password: typeof password === "string" ? password : undefined,
    ssl: tlsCopy(config.ssl),
    options: config.options,
  };
  const fromUrl: TargetSessionAttrs | null = url === undefined ? null : targetOfUrl(url);
  const accepts = targetSessionAttrs ?? fromUrl ?? (places.length > 1 ? "read-write" : "any");
  const target = { hosts: places.map((place) => given({ ...common, ...place })), accepts };
  const ask = typeof password === "function" ? password : null;
  return { ...target, password: ask, key: JSON.stringify([target, ask === null ? 0 : numberOf(ask)]) };
}

/** node-postgres hides the key of whoever has used the object before; a copy by spreading would be without it. */
function tlsCopy(ssl: ConnectionConfig["ssl"]): HostConfig["ssl"] {
  return typeof ssl === "object" ? (given({ ...ssl, key: ssl.key }) as HostConfig["ssl"]) : ssl;
}

function given<Parts extends object>(parts: Parts): Parts {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined)) as Parts;
}

const numbers = new WeakMap<PasswordFunction, number>();
let lastNumber = 0;

/** Two engines with the same function may share connections, and with different ones they may not. */
function numberOf(password: PasswordFunction): number {
  const number = numbers.get(password) ?? ++lastNumber;
  numbers.set(password, number);
  return number;
}
