import { brandError } from "@lockstep/database";
import { readToken, signedToken } from "./token-signature.ts";

/** A link that was not made with our secrets, has been changed or has expired; or none can be made. */
export class ApprovalError extends Error {
  static {
    brandError(ApprovalError, "ApprovalError");
  }

  override readonly name = "ApprovalError";
  /** What is wrong with a link; null: it is about making one. */
  readonly reason: "forged" | "expired" | null;

  constructor(message: string, reason: ApprovalError["reason"] = null) {
    super(message);
    this.reason = reason;
  }
}

/** What a link is for: who decides on what, as it was shown. */
export interface ApprovalScope {
  readonly jobId: string;
  readonly wait: string;
  readonly by: string;
  readonly expiresAt: Date;
  /** The stages whose outputs were there to be shown, and a hash of these and the payload. */
  readonly stages: readonly string[];
  readonly hash: string;
}

const kind = "la1";
const longestMs = 365 * 24 * 3_600_000;

/** Makes and reads the tokens of approval links. They are signed, not encrypted, and say nothing of what the job is about. */
export class ApprovalTokens {
  readonly #secrets: readonly string[];

  /** The first signs; all are accepted, so that a secret can be changed while links of the old one are about. */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets;
  }

  sign(scope: Omit<ApprovalScope, "expiresAt">, expiresInMs: number, nowMs: number): string {
    const { jobId, wait, by, stages, hash } = scope;
    if (typeof by !== "string" || by === "" || by.length > 255) {
      throw new ApprovalError("An approval link needs `by`: who is to decide, in 1 to 255 characters.");
    }
    if (!Number.isInteger(expiresInMs) || expiresInMs < 1 || expiresInMs > longestMs) {
      throw new ApprovalError(
        `expiresInMs of an approval link must be a whole number of milliseconds from 1 to ${longestMs}.`,
      );
    }
    const said = [jobId, wait, by, nowMs + expiresInMs, stages, hash];
    return signedToken(kind, said, this.#secret());
  }

  /** Throws unless the token is genuine and its time is not over. */
  scopeOf(token: string, nowMs: number): ApprovalScope {
    this.#secret();
    const read = readToken(token, [kind], this.#secrets);
    if (read === null) {
      throw new ApprovalError(
        "This link was not made here, or it has been changed: ask for a new one.",
        "forged",
      );
    }
    const [jobId, wait, by, expiresAtMs, stages, hash] = read.said as [
      string,
      string,
      string,
      number,
      string[],
      string,
    ];
    if (nowMs >= expiresAtMs) {
      throw new ApprovalError("This link has expired: ask for a new one.", "expired");
    }
    return { jobId, wait, by, expiresAt: new Date(expiresAtMs), stages, hash };
  }

  #secret(): string {
    const [secret] = this.#secrets;
    if (secret !== undefined) return secret;
    throw new ApprovalError(
      "Approval links need the setting tokenSecret: give createEngine a random text of 32 characters or more, the same in every process.",
    );
  }
}
