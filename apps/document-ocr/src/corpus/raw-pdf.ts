/** A PDF put together by hand, for what no library would write. Object numbers count from 1. */
export function rawPdf(
  objects: readonly (string | Buffer)[],
  { trailer = "", root = 1 }: { trailer?: string; root?: number } = {},
): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: string | Buffer) => {
    const bytes = Buffer.from(part);
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    add(`${index + 1} 0 obj\n`);
    add(object);
    add("\nendobj\n");
  }
  const startxref = length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`);
  add(
    `trailer\n<< /Size ${objects.length + 1} /Root ${root} 0 R ${trailer} >>\nstartxref\n${startxref}\n%%EOF\n`,
  );
  return Buffer.concat(parts);
}

export function rawStream(dictionary: string, data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<< ${dictionary} /Length ${data.length} >>\nstream\n`),
    data,
    Buffer.from("\nendstream"),
  ]);
}

/** Catalogue, page tree and one page: objects 1 to 3. What the page draws is object 4. */
export function onePage({ mediaBox = "0 0 595 842", resources = "" } = {}): string[] {
  return [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< /Type /Page /Parent 2 0 R /MediaBox [${mediaBox}] /Contents 4 0 R /Resources << ${resources} >> >>`,
  ];
}
