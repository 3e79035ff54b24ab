/** The beginning of a payload as a person reads it: `url=https://example.com depth=2` rather than quotes and braces. */
export function previewText(preview: string | null): string {
  if (preview === null || preview === "null") return "";
  const inside = /^\{(.*?)\}?$/s.exec(preview.trim())?.[1];
  if (inside === undefined) return preview;
  return inside
    .replace(/"((?:[^"\\]|\\.)*)"\s*:\s*/g, "$1=")
    .replace(/=("(?:[^"\\]|\\.)*"?)/g, (_, text: string) => `=${unquoted(text)}`)
    .replace(/,\s+/g, " ")
    .trim();
}

/** Quotes only where they tell something. */
function unquoted(text: string): string {
  const bare = text.replace(/^"|"$/g, "");
  return bare === "" || /[\s"\\]/.test(bare) ? text : bare;
}
