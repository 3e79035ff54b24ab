import type { PageText } from "../reading/page-text.ts";

/** All tables of a document, one after the other with an empty line between them (RFC 4180); null where there is none. */
export function tablesCsv(pages: readonly Pick<PageText, "tables">[]): string | null {
  const tables = pages.flatMap(({ tables }) => tables);
  if (tables.length === 0) return null;
  return tables
    .map(({ rows }) => rows.map((row) => `${row.map(({ text }) => fieldOf(text)).join(",")}\r\n`).join(""))
    .join("\r\n");
}

// A program that opens the file would run these. A sign with nothing but a number behind it is none of them; "-2+3+…" is.
const formula = /^[=@\t\r]|^[+-](?![\d., ]*\d[%\p{Sc} ]*$)/u;

function fieldOf(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
