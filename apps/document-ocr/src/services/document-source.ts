/** Where a document comes from, as a job's payload says it in one word. */
export type DocumentSource =
  | { readonly kind: "url"; readonly url: string; readonly name: string }
  | { readonly kind: "folder"; readonly name: string }
  | { readonly kind: "upload"; readonly sha256: string; readonly name: string }
  | { readonly kind: "register"; readonly id: string; readonly name: string }
  | { readonly kind: "sample"; readonly name: string };

// One name inside the folder: nothing hidden, no way out of it.
const fileName = /^(?!\.)[^/\\\p{Cc}]{1,200}$/u;

/** Null: it names no source. */
export function parseSource(text: string): DocumentSource | null {
  if (/^https?:\/\//i.test(text)) return urlSource(text);
  const [, kind, rest = ""] = /^(folder|upload|sample|register):(.*)$/su.exec(text) ?? [];
  if (kind === "upload") return uploadSource(rest);
  if (kind === "register") return registerSource(rest);
  if ((kind === "folder" || kind === "sample") && fileName.test(rest)) return { kind, name: rest };
  return null;
}

function urlSource(text: string): DocumentSource | null {
  if (!URL.canParse(text)) return null;
  const { pathname, host } = new URL(text);
  const last = pathname.split("/").at(-1) ?? "";
  return { kind: "url", url: text, name: fileName.test(last) ? last : host };
}

/** The hash of an upload, and after a slash what it was called. */
function uploadSource(rest: string): DocumentSource | null {
  const [, sha256, name = "document.pdf"] = /^([0-9a-f]{64})(?:\/(.*))?$/su.exec(rest) ?? [];
  return sha256 !== undefined && fileName.test(name) ? { kind: "upload", sha256, name } : null;
}

/** What the register calls it, and after a slash its name. In an address "." and ".." would be other places than documents/ID. */
function registerSource(rest: string): DocumentSource | null {
  const [, id, name = `${id}.pdf`] = /^(?!\.\.?(?:\/|$))([\w.-]{1,100})(?:\/(.*))?$/su.exec(rest) ?? [];
  return id !== undefined && fileName.test(name) ? { kind: "register", id, name } : null;
}

/** What was called anything at all, as a name that may stand in a source. */
export function safeFileName(text: string): string {
  const name = text
    .replace(/[/\\\p{Cc}]+/gu, " ")
    .replace(/^[.\s]+|\s+$/g, "")
    .slice(0, 200)
    // The cut may go through a character, and PostgreSQL stores no half of one.
    .toWellFormed();
  return fileName.test(name) ? name : "document.pdf";
}
