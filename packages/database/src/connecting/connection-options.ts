import type { Pool } from "pg";

/** For whom a password is wanted: a token of RDS is valid for one host and one user. */
export interface PasswordRequest {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** Gives the password of a new connection, such as a token that is valid for some minutes. */
export type PasswordFunction = (request: PasswordRequest) => string | Promise<string>;

/** What of TLS can be set. Only values: the heartbeat's thread gets a copy. */
export interface ConnectionTls {
  /** Whom to trust: certificates of authorities, as PEM. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** Our own certificate and its key, as PEM, where the server asks for one. */
  readonly cert?: string | Uint8Array | undefined;
  readonly key?: string | Uint8Array | undefined;
  readonly passphrase?: string | undefined;
  /** The name that the server's certificate must have, where it is not that of the host: behind a tunnel, say. */
  readonly servername?: string | undefined;
  /** False trusts any server. */
  readonly rejectUnauthorized?: boolean | undefined;
  readonly minVersion?: "TLSv1.2" | "TLSv1.3" | undefined;
}

/** One of several servers. */
export interface ConnectionHost {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  /** 5432 unless told. */
  readonly port?: number | undefined;
}

/** How to connect, in parts. What is left out, node-postgres takes from PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE and PGSSLMODE. */
export interface ConnectionConfig {
  /** A URL, in place of host, port, hosts, user and database. */
  readonly connectionString?: string | undefined;
  /** A name, an address, or the folder of a socket. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Several in place of one: tried in this order. */
  readonly hosts?: readonly ConnectionHost[] | undefined;
  /** What a server must be to be used: by default "read-write" with several hosts, and "any" with one. */
  readonly targetSessionAttrs?: TargetSessionAttrs | undefined;
  readonly user?: string | undefined;
  readonly database?: string | undefined;
  /** A function is asked again at every new connection. */
  readonly password?: string | PasswordFunction | undefined;
  readonly ssl?: boolean | ConnectionTls | undefined;
  /** Options for the server's session, as -c name=value. */
  readonly options?: string | undefined;
}

/** What a server must be to be used, in the words of PostgreSQL: "any", one that can be written, or one that is no standby. */
export type TargetSessionAttrs = "any" | "read-write" | "primary";

/** A pool of node-postgres. */
export type PgPool = Pick<Pool, "connect" | "options">;

/** Where PostgreSQL is: exactly one of these. */
export type ConnectionOptions = {
  /** As postgres://user:password@host:5432/database, with several hosts if there are. */
  readonly databaseUrl?: string | undefined;
  readonly connection?: ConnectionConfig | undefined;
  /** Of the application's own. Connections that have to be our own are made with its options. */
  readonly pool?: PgPool | undefined;
} & (
  | { readonly databaseUrl: string }
  | { readonly connection: ConnectionConfig }
  | { readonly pool: PgPool }
);
