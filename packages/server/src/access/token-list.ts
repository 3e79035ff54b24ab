import { createHash, timingSafeEqual } from "node:crypto";
import type { AccessToken } from "./access.ts";
import { type Caller, callerOf } from "./caller.ts";

/** Finds the caller of a token. Tokens are kept and compared as their SHA-256, all of them each time. */
export class TokenList {
  readonly #known: readonly { digest: Buffer; caller: Caller }[];

  constructor(tokens: readonly AccessToken[]) {
    this.#known = tokens.map((token) => ({
      digest: token.sha256 === undefined ? digestOf(token.token ?? "") : Buffer.from(token.sha256, "hex"),
      caller: callerOf(token),
    }));
  }

  callerOf(token: string): Caller | null {
    const given = digestOf(token);
    let found: Caller | null = null;
    for (const { digest, caller } of this.#known) if (timingSafeEqual(digest, given)) found = caller;
    return found;
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
