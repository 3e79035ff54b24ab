/** A text as one line without control sequences: payloads and errors come from others. */
export function plainText(text: string): string {
  return text
    .replace(/\r\n|[\n\r\t]/g, " ")
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}

const segmenter = new Intl.Segmenter();
const wide =
  /^(?:\p{Extended_Pictographic}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6])/u;

/** How many columns of a terminal a plain text takes. */
export function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += columnsOf(segment);
  return width;
}

/** The beginning of a text that fits into so many columns, with a mark if there is more. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return "";
  let cut = "";
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += columnsOf(segment);
    if (used > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

function columnsOf(segment: string): number {
  // Ticks and crosses are pictographs by class, and one column wide without the sign for pictures.
  if (/^[\u2190-\u27bf]\ufe0e?$/.test(segment)) return 1;
  return wide.test(segment) ? 2 : 1;
}
