/** Text as it may be stored and shown: no control characters, no broken pairs, one space where there were many. */
export function plainText(text: string | null | undefined, mostCharacters: number): string {
  const clean = (text ?? "")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u2028\u2029\ufeff]/g, " ")
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
  return clean.slice(0, mostCharacters).toWellFormed();
}

/** The same on one line. */
export function plainLine(text: string | null | undefined, mostCharacters: number): string {
  return plainText(text?.replace(/\s+/g, " "), mostCharacters);
}
