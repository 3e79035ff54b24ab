import { didYouMean } from "lockstep/internal";
import { type Grant, grantComplaint } from "./caller.ts";

/** A token as the configuration has it: itself, or only its SHA-256 in hex. */
export interface AccessToken extends Grant {
  readonly token?: string | undefined;
  readonly sha256?: string | undefined;
}

/** The host application decides: who it is, or null for nobody. */
export interface AuthorizeAccess {
  authorize(request: Request): Grant | null | Promise<Grant | null>;
}

/**
 * Who has access. "loopback": everyone on this machine, with all rights; otherwise whoever has one of the tokens,
 * or whom `authorize` knows.
 */
export type Access = "loopback" | { readonly tokens: readonly AccessToken[] } | AuthorizeAccess;

// 128 random bits as base64url.
const shortestToken = 22;
const tokenKeys = ["token", "sha256", "user", "role", "rights", "owner"];

/** What is wrong with it, to follow the setting's name; null when it is right. */
export function accessComplaint(value: unknown): string | null {
  const expected = 'must be "loopback", { tokens: [{ user, role, token }] } or { authorize(request) }';
  if (value === "loopback") return null;
  if (typeof value !== "object" || value === null) return expected;
  if ("authorize" in value) return typeof value.authorize === "function" ? null : expected;
  if (!("tokens" in value) || !Array.isArray(value.tokens) || value.tokens.length === 0) return expected;
  for (const [index, token] of (value.tokens as AccessToken[]).entries()) {
    const complaint = typeof token === "object" && token !== null ? tokenComplaint(token) : "is no object";
    // By its place and never by itself: whatever it is, it may be a secret.
    if (complaint !== null) return `has a token, number ${index + 1}, that ${complaint}`;
  }
  return null;
}

function tokenComplaint(token: AccessToken): string | null {
  const unknown = Object.keys(token).find((key) => !tokenKeys.includes(key));
  if (unknown !== undefined) return `has an unknown part "${unknown}".${didYouMean(unknown, tokenKeys)}`;
  const { token: text, sha256 } = token;
  if ((text === undefined) === (sha256 === undefined)) return "needs either token or sha256";
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    return "has a sha256 that is not 64 hex digits";
  if (text !== undefined && (typeof text !== "string" || text.length < shortestToken)) {
    return `is shorter than ${shortestToken} characters: use at least 128 random bits, for example from \`openssl rand -base64 24\``;
  }
  if (text !== undefined && !/^[\x21-\x7e]+$/.test(text)) {
    return "has characters that a header cannot carry: use visible ASCII characters, without spaces";
  }
  return grantComplaint(token);
}
