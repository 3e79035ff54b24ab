import type { ReadingLimits } from "../../reading-limits.ts";
import { Refusal } from "../refusal.ts";

const head = 1_024;
// Mailers and portals add to the end of files; the mark is still near it.
const tail = 64 * 1_024;

/** What can be told from the bytes alone, before a parser is let near them. */
export function checkPdfFile(bytes: Buffer, { mostObjects }: ReadingLimits): void {
  if (!bytes.subarray(0, head).includes("%PDF-")) {
    throw new Refusal(
      "not_a_pdf",
      bytes.length === 0
        ? "The file is empty. Check how it was made and add it again."
        : "The file is not a PDF: it does not begin with %PDF-. Convert it to PDF and add it again.",
    );
  }
  // Parsers silently repair a cut-off file and lose its last pages.
  if (!bytes.subarray(-tail).includes("%%EOF")) {
    throw new Refusal(
      "truncated",
      "The PDF is cut off: its end is missing. Fetch or copy the whole file and add it again.",
    );
  }
  const objects = declaredObjects(bytes);
  if (objects > mostObjects) {
    throw new Refusal(
      "too_many_objects",
      `The PDF has ${objects} objects, and ${mostObjects} is the most. Print it to a new PDF and add it again.`,
    );
  }
}

/** By its own tables, or by what stands in it where that is more. */
function declaredObjects(bytes: Buffer): number {
  const text = bytes.toString("latin1");
  const sizes = [...text.matchAll(/\/Size\s+(\d{1,15})/g)].map(([, size]) => Number(size));
  let objects = 0;
  for (let at = text.indexOf(" obj"); at !== -1; at = text.indexOf(" obj", at + 4)) objects++;
  return sizes.reduce((most, size) => Math.max(most, size), objects);
}
