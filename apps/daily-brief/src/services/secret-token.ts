import { createHash, randomBytes } from "node:crypto";

/** Too random to be guessed, so that a plain hash of it is enough to keep. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

export function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
