/** Text that PostgreSQL can store: NUL and halves of surrogate pairs become U+FFFD. */
export function cleanText(text: string): string {
  return text.replaceAll("\0", "\uFFFD").replace(/\p{Surrogate}/gu, "\uFFFD");
}
