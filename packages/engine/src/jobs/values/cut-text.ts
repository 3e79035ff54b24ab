const ellipsis = "…";
const ellipsisBytes = 3;

/** Cuts text so that it takes at most so many bytes inside JSON, with an ellipsis where it was cut. */
export function cutToJsonBytes(text: string, limitBytes: number): string {
  if (text.length * 6 <= limitBytes) return text;
  let bytes = 0;
  let end = 0;
  let endWithEllipsis = 0;
  for (const character of text) {
    bytes += jsonBytesOf(character);
    if (bytes > limitBytes) return text.slice(0, endWithEllipsis) + ellipsis;
    end += character.length;
    if (bytes <= limitBytes - ellipsisBytes) endWithEllipsis = end;
  }
  return text;
}

function jsonBytesOf(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  if (codePoint === 0x22 || codePoint === 0x5c) return 2;
  if (codePoint < 0x20) return 6;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return 6;
  return codePoint < 0x10000 ? 3 : 4;
}
