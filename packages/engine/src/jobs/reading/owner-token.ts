import { brandError } from "@lockstep/database";
import { readToken, signedToken } from "./token-signature.ts";

/** A token that was not made with our secrets, has been changed, or has expired; or none can be made. */
export class OwnerTokenError extends Error {
  static {
    brandError(OwnerTokenError, "OwnerTokenError");
  }

  override readonly name = "OwnerTokenError";
}

/** What a token opens: the jobs of an owner, or one job. */
export interface TokenScope {
  readonly owner: string | null;
  readonly jobId: string | null;
  readonly expiresAt: Date;
  /** The waits of these jobs that it may signal; none, unless it was made so. */
  readonly signals: readonly string[];
}

/** For how long a token is good, and what it opens beside reading. */
export interface TokenOptions {
  readonly expiresInMs: number;
  /** Names of waits that whoever has the token may signal, in the owner's name. */
  readonly signals?: readonly string[] | undefined;
}

// Two kinds by their first letters, which are signed too: where only owners are known, a job's token is none at all.
type Kind = "ls1" | "lj1";
const longestMs = 365 * 24 * 3_600_000;
const kinds: readonly Kind[] = ["ls1", "lj1"];

/** Makes and reads tokens that say, for a limited time, who somebody is or which job they open. They are signed, not encrypted: whoever has one can read it. */
export class OwnerTokens {
  readonly #secrets: readonly string[];

  /** The first signs; all are accepted, so that a secret can be changed while tokens of the old one are about. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  sign(owner: string, options: TokenOptions, nowMs: number): string {
    const size = typeof owner === "string" ? Buffer.byteLength(owner) : 0;
    if (size < 1 || size > 255)
      throw new OwnerTokenError("The owner of a token must be a text of 1 to 255 bytes.");
    return this.#sign("ls1", owner, options, nowMs);
  }

  /** For one job, whoever it belongs to. */
  signForJob(jobId: string, options: TokenOptions, nowMs: number): string {
    return this.#sign("lj1", jobId, options, nowMs);
  }

  /** What a token opens. Throws unless it is genuine and its time is not over. */
  scopeOf(token: string, nowMs: number): TokenScope {
    if (this.#secrets.length === 0) throw noSecret();
    const read = readToken(token, kinds, this.#secrets);
    if (read === null) {
      throw new OwnerTokenError("This token was not made here, or it has been changed: ask for a new one.");
    }
    const [who, expiresAtMs, signals = []] = read.said as [string, number, string[]?];
    if (nowMs >= expiresAtMs) throw new OwnerTokenError("This token has expired: ask for a new one.");
    const expiresAt = new Date(expiresAtMs);
    return read.kind === "lj1"
      ? { owner: null, jobId: who, expiresAt, signals }
      : { owner: who, jobId: null, expiresAt, signals };
  }

  /** The owner that a token speaks for. */
  ownerOf(token: string, nowMs: number): string {
    const { owner } = this.scopeOf(token, nowMs);
    if (owner === null) throw new OwnerTokenError("This token opens one job, and speaks for no owner.");
    return owner;
  }

  #sign(kind: Kind, who: string, options: TokenOptions, nowMs: number): string {
    const [secret] = this.#secrets;
    if (secret === undefined) throw noSecret();
    const { expiresInMs, signals = [] } = options ?? {};
    if (!Number.isInteger(expiresInMs) || expiresInMs < 1 || expiresInMs > longestMs) {
      throw new OwnerTokenError(
        `expiresInMs of a token must be a whole number of milliseconds from 1 to ${longestMs}.`,
      );
    }
    if (!Array.isArray(signals) || signals.length > 20 || !signals.every(isNameOfWait)) {
      throw new OwnerTokenError("signals of a token must be a list of at most 20 names of waits.");
    }
    const said = [who, nowMs + expiresInMs];
    return signedToken(kind, signals.length === 0 ? said : [...said, signals], secret);
  }
}

function isNameOfWait(name: unknown): boolean {
  return typeof name === "string" && /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/.test(name);
}

function noSecret(): OwnerTokenError {
  return new OwnerTokenError(
    "Tokens need the setting tokenSecret: give createEngine a random text of 32 characters or more, the same in every process.",
  );
}
