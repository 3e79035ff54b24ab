import { types } from "node:util";
import { brandError, codeSchemaVersion, defaultSchema, migrateCommand } from "@lockstep/database";
import { isStartupRefusal, noUsableHost, passwordFailed } from "@lockstep/database/connector";

/** PostgreSQL cannot be reached, or refuses this user. The sentence says what to look at. */
export class DatabaseUnavailableError extends Error {
  static {
    brandError(DatabaseUnavailableError, "DatabaseUnavailableError");
  }

  override readonly name: string = "DatabaseUnavailableError";
  /** Waiting will not help: a wrong password, a database that does not exist, a certificate that is not trusted. */
  readonly isFinal: boolean;
  /** It is our own end that is closed. */
  readonly isOfStoppedEngine: boolean;

  constructor(cause: unknown) {
    super(sentenceFor(cause), { cause });
    this.isOfStoppedEngine = codeOf(cause) === closedCode;
    this.isFinal =
      finalCodes.has(codeOf(cause)) ||
      isPoolerUntold(cause) ||
      isTlsRefusal(cause) ||
      isOwnCertificateRefused(cause);
  }
}

/** A read took longer than it may. A narrower question may be answered. */
export class StatementTimeoutError extends DatabaseUnavailableError {
  static {
    brandError(StatementTimeoutError, "StatementTimeoutError");
  }

  override readonly name = "StatementTimeoutError";
}

/** The database refused what it was given: an unknown pipeline, a priority of 21, a stage that does not exist. */
export class RefusedError extends Error {
  static {
    brandError(RefusedError, "RefusedError");
  }

  override readonly name = "RefusedError";
  readonly code: string;

  constructor(cause: Error & { hint?: string }) {
    super(cause.hint === undefined ? cause.message : `${cause.message} ${cause.hint}`, { cause });
    this.code = codeOf(cause);
  }
}

/** PostgreSQL's error for input that it cannot read, as a refusal; null for any other error. */
export function refusalOf(thrown: Error): RefusedError | null {
  const code = codeOf(thrown);
  if (/^LS\d{3}$/.test(code)) return new RefusedError(thrown);
  if (!unreadableCodes.has(code)) return null;
  const sentence = `PostgreSQL cannot store a text that it was given (${thrown.message}). Leave out NUL characters and half surrogates.`;
  return new RefusedError(Object.assign(new Error(sentence, { cause: thrown }), { code }));
}

// NUL in a text, NUL in JSON.
const unreadableCodes = new Set(["22021", "22P05"]);

/** The database has no Lockstep schema, or an older one than this code needs. */
export class SchemaMissingError extends Error {
  static {
    brandError(SchemaMissingError, "SchemaMissingError");
  }

  override readonly name = "SchemaMissingError";
  /** Its name. */
  readonly schema: string;

  constructor(schema: string, found: number, needed: number, options?: ErrorOptions) {
    const its = schema === defaultSchema ? "" : ` in ${schema}`;
    const run = `run \`await engine.migrate()\` or \`${migrateCommand(schema)}\``;
    super(
      found === 0
        ? `The database has no Lockstep schema${its} yet: ${run} once.`
        : `The database has Lockstep schema version ${found}${its}, but this code needs ${needed}: ${run}.`,
      options,
    );
    this.schema = schema;
  }
}

// No such schema, function or table.
const missingCodes = new Set(["3F000", "42883", "42P01"]);

/** What PostgreSQL says where nobody has migrated, as an error that says so; null for any other. */
export function missingSchema(thrown: Error, schema: string): SchemaMissingError | null {
  const isOurs = thrown.message.includes(`${schema}.`) || thrown.message.includes(`"${schema}"`);
  return isOurs && missingCodes.has(codeOf(thrown))
    ? new SchemaMissingError(schema, 0, codeSchemaVersion, { cause: thrown })
    : null;
}

/** The code for our own end of it: the engine was stopped. */
export const closedCode = "ENGINE_STOPPED";

/** The code for a pool of the application's whose sessions do not fit. */
export const poolUnfitCode = "POOL_UNFIT";

const finalCodes = new Set(["28P01", "28000", "3D000", "42501", closedCode, poolUnfitCode]);

const retriedWhole = new Set(["40P01", "40001", "55P03"]);

/** Deadlock, serialization failure, lock timeout: the whole call may be sent again. */
export function isRetriedWhole(error: unknown): boolean {
  return retriedWhole.has(codeOf(error));
}

/**
 * The connection is gone, or the server is not up, not writable, too busy or out of reach for this user. What was
 * sent may have happened or not, and nothing is wrong with it: sent again later, it may go through.
 */
export function isUnavailable(error: unknown): boolean {
  const code = codeOf(error);
  if (code.length === 5 && /^[0-9A-Z]{5}$/.test(code)) {
    return /^(08|25006|28000|28P01|3D000|40|42501|53|55P03|57|58)/.test(code) || isPoolerUntold(error);
  }
  // Everything else that is no SQLSTATE comes from the socket or the driver.
  return true;
}

/** PostgreSQL, or this connection alone, does not take writes. */
export function isReadOnlyRefusal(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && isReadOnlyCode(error.cause);
}

export function isReadOnlyCode(error: unknown): boolean {
  return codeOf(error) === "25006";
}

/** PostgreSQL has ended a statement that took too long, or somebody has. */
export function isStatementTimeout(error: unknown): boolean {
  return codeOf(error) === "57014";
}

/**
 * A transaction pooler stands before PostgreSQL and the engine was not told: it refuses the startup parameters, or has
 * lost a named statement (26000) or shows one of another client (42P05).
 */
function isPoolerUntold(error: unknown): boolean {
  const message = error instanceof Error ? error.message : "";
  switch (codeOf(error)) {
    case "08P01":
      return isStartupRefusal(error);
    case "26000":
    case "42P05":
      return message.includes("prepared statement");
    default:
      return false;
  }
}

// Node's words for what it finds wrong with a certificate.
const certificateCodes =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE).*|CERT_.*|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH|INVALID_CA)$/;

/** PostgreSQL is there, and this process will not talk to it: its certificate is not trusted, or it has no TLS at all. */
function isTlsRefusal(error: unknown): boolean {
  return certificateCodes.test(codeOf(error)) || hasNoTls(error);
}

// What PostgreSQL's end says of ours in the handshake; and what our end finds before it: a key that is another's, a text that is none.
const ownCertificateCodes = /^ERR_SSL_.*_ALERT_(UNKNOWN_CA|.*CERTIFICATE.*)$|^ERR_OSSL_/;

/** The certificate of this process cannot be used, or is wanted and missing, or is not made out to this user. */
function isOwnCertificateRefused(error: unknown): boolean {
  const code = codeOf(error);
  if (ownCertificateCodes.test(code)) return true;
  return code === "28000" && types.isNativeError(error) && /\bcertificate\b/.test(error.message);
}

function hasNoTls(error: unknown): boolean {
  return types.isNativeError(error) && error.message === "The server does not support SSL connections";
}

export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" ? code : "";
}

function sentenceFor(cause: unknown): string {
  const code = codeOf(cause);
  const message = cause instanceof Error ? cause.message : String(cause);
  if (isPoolerUntold(cause)) {
    return `A transaction pooler stands before PostgreSQL (${message}): set transactionPooler: true, and listenUrl to a direct URL if there is one.`;
  }
  if (hasNoTls(cause)) {
    return "PostgreSQL has no TLS, and databaseUrl or connection asks for it: switch ssl on at the server, or set sslmode=disable (ssl: false) where nobody can listen between.";
  }
  if (isTlsRefusal(cause)) {
    return `The certificate of PostgreSQL is not trusted (${message}, ${code}): add sslrootcert with the file of the authority that signed it to databaseUrl, or ssl: { ca } to connection, or give the server a certificate for the host that is named there. sslmode=no-verify trusts any server.`;
  }
  if (isOwnCertificateRefused(cause)) {
    // OpenSSL's reason is the part of its message that people can read.
    const { reason = message } = cause as { reason?: string };
    return `PostgreSQL wants a certificate of this user, and there is none that it accepts (${reason}): give the file of one that its authority has signed for this user, and of its key, as sslcert and sslkey in databaseUrl, or their texts as ssl: { cert, key } in connection.`;
  }
  switch (code) {
    case "ECONNREFUSED":
      return "PostgreSQL does not answer: nothing listens where databaseUrl or connection points. Start it, or correct host and port.";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "PostgreSQL's host is unknown: correct the host in databaseUrl or connection, or look at the name server.";
    case "28P01":
    case "28000":
      return "PostgreSQL refuses this user: correct the user and password in databaseUrl or connection.";
    case "3D000":
      return "PostgreSQL has no such database: create it, or correct the name in databaseUrl or connection.";
    case "42501":
      return `PostgreSQL refuses this user a right it needs (${message}): grant it the role lockstep_worker or lockstep_producer (in another schema they begin with its name), which a migrate by a superuser makes.`;
    case "53300":
      return "PostgreSQL has no connection left: raise max_connections, or lower the connections of its clients.";
    case "57014":
      return "PostgreSQL took too long over this and ended it: ask for less at a time, or look at what keeps it busy.";
    case "25006":
      return "PostgreSQL is read-only at the moment: it is a standby, in recovery, or set so (default_transaction_read_only). Work continues when it can be written to; if it stays so, let databaseUrl or connection lead to the primary.";
    case noUsableHost:
      return `No host of PostgreSQL can be used at the moment (${message}): an engine needs one that can be written to. Work continues when there is one.`;
    case passwordFailed:
      return `The password function of the connection has failed (${message}): it is asked again at the next try.`;
    case poolUnfitCode:
      return `${message}.`;
    case closedCode:
      return "This engine was stopped and has closed its connections: make a new one with createEngine.";
    default:
      return `PostgreSQL cannot be used at the moment (${message}); the engine keeps trying.`;
  }
}
