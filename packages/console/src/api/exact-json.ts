const mark = "\u0000n";

/**
 * JSON.parse that keeps numbers a double cannot hold: they come as marked strings, which the viewer prints as the
 * numbers they were. PostgreSQL stores no NUL character, so no text of a payload looks like one.
 */
export function parseExact(text: string): unknown {
  const exact = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    token.startsWith('"') || isHeld(token) ? token : JSON.stringify(mark + token),
  );
  return JSON.parse(exact);
}

/** The number as it was written, when the value is one that a double cannot hold. */
export function exactNumber(value: unknown): string | null {
  return typeof value === "string" && value.startsWith(mark) ? value.slice(mark.length) : null;
}

/** JSON text again, with every number as it was. */
export function exactText(value: unknown, indent = 2): string {
  const text = JSON.stringify(value, null, indent) ?? "null";
  return text.replace(/"\\u0000n([^"]*)"/g, "$1");
}

function isHeld(token: string): boolean {
  if (token.length <= 15) return true;
  const value = Number(token);
  // A fraction is rounded anyway; a whole number must come back as it was.
  return /[.eE]/.test(token) ? Number.isFinite(value) : String(value) === token;
}
