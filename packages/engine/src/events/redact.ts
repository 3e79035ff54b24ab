/** Keys that smell of a secret. */
export const secretKeyPattern = /pass|secret|token|authorization|api[-_]?key|cookie/i;
const passwordInUrl = /(:\/\/[^\s:/@]*:)[^\s/@]+@/g;
const hidden = "[redacted]";
const depthShown = 6;
const partsShown = 100;

/** A copy fit for a log: what stands under a key that smells of a secret is hidden, what is too much is left out. */
export function redact(value: unknown): unknown {
  try {
    return copyWithout(value, 0);
  } catch {
    // A getter or a Proxy may throw at any touch.
    return "[unreadable]";
  }
}

/** Hides passwords in the URLs of a text. */
export function redactText(text: string): string {
  return text.replace(passwordInUrl, `$1${hidden}@`);
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
    copied[key] = secretKeyPattern.test(key)
      ? hidden
      : copyWithout((value as Record<string, unknown>)[key], depth + 1);
  }
  return copied;
}
