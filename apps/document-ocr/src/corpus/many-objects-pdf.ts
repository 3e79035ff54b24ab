import { deflateSync } from "node:zlib";
import { onePage, rawStream } from "./raw-pdf.ts";

const perStream = 10_000;
const entryBytes = 7;

/** A small file with very many objects, packed into object streams as PDF 1.5 allows. */
export function manyObjectsPdf(objects: number): Buffer {
  const plain = [...onePage(), rawStream("", Buffer.from("BT ET"))];
  const streams = Math.ceil(objects / perStream);
  const tableObject = plain.length + streams + 1;
  const size = tableObject + 1 + streams * perStream;
  const table = Buffer.alloc(size * entryBytes);
  const enter = (object: number, kind: number, place: number, index: number) => {
    table.writeUInt8(kind, object * entryBytes);
    table.writeUInt32BE(place, object * entryBytes + 1);
    table.writeUInt16BE(index, object * entryBytes + 5);
  };
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  let length = parts[0]?.length ?? 0;
  const add = (object: number, body: string | Buffer) => {
    const bytes = Buffer.concat([
      Buffer.from(`${object} 0 obj\n`),
      Buffer.from(body),
      Buffer.from("\nendobj\n"),
    ]);
    parts.push(bytes);
    length += bytes.length;
  };
  for (const [index, body] of plain.entries()) {
    enter(index + 1, 1, length, 0);
    add(index + 1, body);
  }
  for (let stream = 0; stream < streams; stream++) {
    const holder = plain.length + 1 + stream;
    const first = tableObject + 1 + stream * perStream;
    const heads = Array.from({ length: perStream }, (_, at) => `${first + at} ${at * 2}`).join(" ");
    const packed = deflateSync(Buffer.from(`${heads} ${"0 ".repeat(perStream)}`), { level: 1 });
    const dictionary = `/Type /ObjStm /N ${perStream} /First ${heads.length + 1} /Filter /FlateDecode`;
    enter(holder, 1, length, 0);
    add(holder, rawStream(dictionary, packed));
    for (let at = 0; at < perStream; at++) enter(first + at, 2, holder, at);
  }
  const startxref = length;
  enter(tableObject, 1, startxref, 0);
  const dictionary = `/Type /XRef /Size ${size} /W [1 4 2] /Root 1 0 R /Filter /FlateDecode`;
  add(tableObject, rawStream(dictionary, deflateSync(table, { level: 1 })));
  return Buffer.concat([...parts, Buffer.from(`startxref\n${startxref}\n%%EOF\n`)]);
}
