/** Browsers ask in this order: the mark at the beginning, the server, the page itself. */
export function decodeHtml(
  bytes: Buffer,
  contentType: string | undefined,
): { html: string; charset: string } {
  const named = [bomOf(bytes), headerCharset(contentType), metaCharset(bytes)];
  for (const label of named) {
    const decoder = label === null ? null : decoderOf(label);
    if (decoder !== null) return { html: decoder.decode(bytes), charset: decoder.encoding };
  }
  return undeclared(bytes);
}

/** Nobody said: what is valid UTF-8 by accident is rare, and the rest is what the old web was written in. */
function undeclared(bytes: Buffer): { html: string; charset: string } {
  try {
    return { html: new TextDecoder("utf-8", { fatal: true }).decode(bytes), charset: "utf-8" };
  } catch {
    return { html: new TextDecoder("windows-1252").decode(bytes), charset: "windows-1252" };
  }
}

function bomOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return null;
}

function headerCharset(contentType: string | undefined): string | null {
  return /;\s*charset\s*=\s*["']?([^\s"';,]+)/i.exec(contentType ?? "")?.[1] ?? null;
}

// A declaration must stand within the first 1,024 bytes, and in letters that are the same in every charset it can name.
function metaCharset(bytes: Buffer): string | null {
  const head = bytes.subarray(0, 1_024).toString("latin1");
  const label =
    /<meta[^>]+charset\s*=\s*["']?\s*([a-z0-9_:.-]+)/i.exec(head)?.[1] ??
    /<\?xml[^>]+encoding\s*=\s*["']([a-z0-9_:.-]+)/i.exec(head)?.[1] ??
    null;
  // The letters could be read one byte at a time, so two bytes each it is not.
  return label !== null && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function decoderOf(label: string): InstanceType<typeof TextDecoder> | null {
  try {
    return new TextDecoder(label);
  } catch {
    return null;
  }
}
