/** PostgreSQL cannot be reached, or refuses this user. The sentence says what to look at. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = "DatabaseUnavailableError";
  /** Waiting will not help: a wrong password, a database that does not exist. */
  readonly isFinal: boolean;

  constructor(cause: unknown) {
    super(sentenceFor(cause), { cause });
    this.isFinal = finalCodes.has(codeOf(cause)) || isPoolerUntold(cause);
  }
}

/** A read took longer than it may. A narrower question may be answered. */
export class StatementTimeoutError extends DatabaseUnavailableError {
  override readonly name = "StatementTimeoutError";
}

/** The database refused what it was given: an unknown pipeline, a priority of 21, a stage that does not exist. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: string;

  constructor(cause: Error & { hint?: string }) {
    super(cause.hint === undefined ? cause.message : `${cause.message} ${cause.hint}`, { cause });
    this.code = codeOf(cause);
  }
}

/** What PostgreSQL says of input that it cannot even read, as a refusal; null for what is none. */
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
  override readonly name = "SchemaMissingError";

  constructor(found: number, needed: number) {
    super(
      found === 0
        ? "The database has no Lockstep schema yet: run `await engine.migrate()` or `lockstep migrate` once."
        : `The database has Lockstep schema version ${found}, but this code needs ${needed}: run \`await engine.migrate()\` or \`lockstep migrate\`.`,
    );
  }
}

/** The code for our own end of it: the engine was stopped. */
export const closedCode = "ENGINE_STOPPED";

const finalCodes = new Set(["28P01", "28000", "3D000", "42501", closedCode]);

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
      return message.includes("unsupported startup parameter");
    case "26000":
    case "42P05":
      return message.includes("prepared statement");
    default:
      return false;
  }
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
  switch (code) {
    case "ECONNREFUSED":
      return "PostgreSQL does not answer: nothing listens where databaseUrl points. Start it, or correct host and port.";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "PostgreSQL's host is unknown: correct the host in databaseUrl, or look at the name server.";
    case "28P01":
    case "28000":
      return "PostgreSQL refuses this user: correct the user and password in databaseUrl.";
    case "3D000":
      return "PostgreSQL has no such database: create it, or correct the name in databaseUrl.";
    case "42501":
      return `PostgreSQL refuses this user a right it needs (${message}): grant it the role lockstep_worker or lockstep_producer.`;
    case "53300":
      return "PostgreSQL has no connection left: raise max_connections, or lower the connections of its clients.";
    case "57014":
      return "PostgreSQL took too long over this and ended it: ask for less at a time, or look at what keeps it busy.";
    case "25006":
      return "PostgreSQL is read-only at the moment: it may be a standby or in recovery; work goes on when it can be written.";
    case closedCode:
      return "This engine was stopped and has closed its connections: make a new one with createEngine.";
    default:
      return `PostgreSQL cannot be used at the moment (${message}); the engine goes on trying.`;
  }
}
