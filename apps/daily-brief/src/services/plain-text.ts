/** On one line, without control characters, and no longer than this. */
export function plainText(text: string, longest: number): string {
  return text
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, longest);
}
