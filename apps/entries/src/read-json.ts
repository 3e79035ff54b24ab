type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** The body, if it is JSON and not too large; no more of it is read than that. */
export async function readJson(request: Request, limitBytes: number): Promise<JsonBody> {
  // A form of another site cannot send this type without asking first.
  if (!/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) {
    return { ok: false, message: "Send JSON, with content-type: application/json." };
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > limitBytes) return { ok: false, message: `The body is larger than ${limitBytes} bytes.` };
    chunks.push(chunk);
  }
  try {
    return { ok: true, value: JSON.parse(Buffer.concat(chunks).toString("utf8")) };
  } catch {
    return { ok: false, message: "The body is not JSON." };
  }
}
