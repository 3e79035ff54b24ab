import { createHmac, timingSafeEqual } from "node:crypto";

/** A text that only somebody with the secret can have made, beginning with a kind that is signed too. It is not encrypted. */
export function signedToken(kind: string, said: unknown, secret: string): string {
  const text = Buffer.from(JSON.stringify(said)).toString("base64url");
  return `${kind}.${text}.${signature(kind, text, secret).toString("base64url")}`;
}

/** What such a text says, and its kind; null unless one of these secrets has signed it. */
export function readToken(
  token: string,
  kinds: readonly string[],
  secrets: readonly string[],
): { readonly kind: string; readonly said: unknown } | null {
  const [, kind = "", text = "", signed = ""] = form.exec(String(token)) ?? [];
  if (!kinds.includes(kind)) return null;
  const given = Buffer.from(signed, "base64url");
  // Every secret is tried, whichever fits: how long it takes tells nothing.
  const fitting = secrets.filter((secret) => isSame(signature(kind, text, secret), given));
  if (fitting.length === 0) return null;
  return { kind, said: JSON.parse(Buffer.from(text, "base64url").toString("utf8")) };
}

const form = /^([a-z]{2}1)\.([A-Za-z0-9_-]{1,8000})\.([A-Za-z0-9_-]{43})$/;

function signature(kind: string, text: string, secret: string): Buffer {
  return createHmac("sha256", secret).update(`${kind}.${text}`).digest();
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
