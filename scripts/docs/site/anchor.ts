/** The anchor of a heading, as GitHub makes it; the site makes the same, so that one link works on both. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
