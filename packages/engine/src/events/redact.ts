/** Keys that smell of a secret; "passed" and "passengers" do not. */
export const secretKeyPattern =
  /pass(?!ed|enger|es(?![a-z])|ing|ive|age|rate)|secret|token|authorization|api[-_]?key|cookie/i;
/** Words of a key that is about how many there are, how large or for how long: `inputTokens`, `token_limit`. */
const countWords = new Set(
  "tokens secrets passwords cookies keys count counts total limit usage budget length size bytes expires expiry ttl".split(
    " ",
  ),
);
const hidden = "[redacted]";
const depthShown = 6;
const partsShown = 100;

/** A copy for the log: values under a key that looks like a secret are hidden, and what is too large is left out. */
export function redact(value: unknown): unknown {
  try {
    return copyWithout(value, 0);
  } catch {
    // A getter or a Proxy may throw at any touch.
    return "[unreadable]";
  }
}

/** Whether the value under a key is a secret. Booleans are not, nor are numbers that count something. */
export function looksSecret(key: string, value: unknown): boolean {
  if (!secretKeyPattern.test(key) || typeof value === "boolean") return false;
  return !(isCount(value) && wordsOf(key).some((word) => countWords.has(word)));
}

/** "inputTokens" and "input_tokens" → input, tokens */
function wordsOf(key: string): string[] {
  return key
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/);
}

/** A number, or an object of nothing else. A list of numbers may be the bytes of a secret. */
function isCount(value: unknown): boolean {
  if (typeof value === "number" || typeof value === "bigint") return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const parts = Object.values(value);
  return parts.length > 0 && parts.every((part) => typeof part === "number" || part === null);
}

/** Hides passwords in the URLs of a text. */
export function redactText(text: string): string {
  return text.includes("://") ? text.split(/(\s+)/).map(withoutPassword).join("") : text;
}

/**
 * A password that was not encoded may have any of ":/?#@" in it, so it ends at the last "@" of the word. Better to hide
 * a part of what follows it than to show a part of the password.
 */
function withoutPassword(word: string): string {
  const end = word.lastIndexOf("@");
  if (end === -1) return word;
  for (const { 0: head, 1: before = "", index } of word.matchAll(/:\/\/([^:/]*):/g)) {
    const begin = index + head.length;
    if (begin >= end) return word;
    if (!isHostWithPort(before, word.slice(begin, begin + 6)))
      return `${word.slice(0, begin)}${hidden}${word.slice(end)}`;
  }
  return word;
}

/** "example.com:8080/a@b" has a port where others have a password. */
function isHostWithPort(before: string, after: string): boolean {
  if (before.startsWith("[")) return true;
  return /(?:^|@)localhost$|\./.test(before) && /^\d{1,5}(?![\w@.!$&*+=~-])/.test(after);
}

function copyWithout(value: unknown, depth: number): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  // Also ends cycles.
  if (depth >= depthShown) return "[…]";
  if (value instanceof Date) return value;
  if (value instanceof Error) return { name: value.name, message: redactText(value.message) };
  if (Array.isArray(value)) return value.slice(0, partsShown).map((part) => copyWithout(part, depth + 1));
  const copied: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).slice(0, partsShown)) {
    const part = (value as Record<string, unknown>)[key];
    copied[key] = looksSecret(key, part) ? hidden : copyWithout(part, depth + 1);
  }
  return copied;
}
