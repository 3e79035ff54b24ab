import { deflateSync } from "node:zlib";
import type { RefusalCode } from "../reading/reading-errors.ts";
import { encryptedPdf } from "./encrypted-pdf.ts";
import { packedZeros } from "./flate-bomb.ts";
import { manyObjectsPdf } from "./many-objects-pdf.ts";
import { onePage, rawPdf, rawStream } from "./raw-pdf.ts";
import { typesetPdf } from "./typeset.ts";

/** A file that must fail, and what it must fail with. */
export interface Poison {
  readonly name: string;
  readonly refusal: RefusalCode;
  /** Whether looking at the document shows it; the others show when a page is read. */
  readonly shownBy: "inspecting" | "reading";
  make(): Promise<Uint8Array> | Uint8Array;
}

const nothing = rawStream("", Buffer.from("BT ET"));

export const poisonFiles: readonly Poison[] = [
  { name: "empty", refusal: "not_a_pdf", shownBy: "inspecting", make: () => Buffer.alloc(0) },
  {
    name: "wrong-type",
    refusal: "not_a_pdf",
    shownBy: "inspecting",
    make: () => Buffer.from("\x89PNG\r\n\x1a\nthis is a picture", "latin1"),
  },
  {
    name: "only-a-header",
    refusal: "damaged",
    shownBy: "inspecting",
    make: () => Buffer.from("%PDF-1.7\nnothing of a document\n%%EOF\n"),
  },
  {
    name: "truncated",
    refusal: "truncated",
    shownBy: "inspecting",
    make: async () => {
      const whole = await typesetPdf([{ paragraphs: ["The first page is all there."] }]);
      return whole.subarray(0, Math.floor(whole.length * 0.6));
    },
  },
  {
    name: "no-pages",
    refusal: "no_pages",
    shownBy: "inspecting",
    make: () => rawPdf(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"]),
  },
  {
    name: "too-many-pages",
    refusal: "too_many_pages",
    shownBy: "inspecting",
    make: () => {
      const count = 201;
      const numbers = Array.from({ length: count }, (_, at) => at + 3);
      return rawPdf([
        "<< /Type /Catalog /Pages 2 0 R >>",
        `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(" ")}] /Count ${count} >>`,
        ...numbers.map(() => "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>"),
      ]);
    },
  },
  { name: "password", refusal: "encrypted", shownBy: "inspecting", make: () => encryptedPdf("secret") },
  { name: "restricted", refusal: "encrypted", shownBy: "inspecting", make: () => encryptedPdf("") },
  {
    name: "huge-page",
    refusal: "page_too_large",
    shownBy: "inspecting",
    // 60,000 × 60,000 pixels at 300 dpi.
    make: () => rawPdf([...onePage({ mediaBox: "0 0 14400 14400" }), nothing]),
  },
  {
    name: "million-objects",
    refusal: "too_many_objects",
    shownBy: "inspecting",
    make: () => manyObjectsPdf(1_000_000),
  },
  {
    name: "flate-bomb",
    refusal: "memory_limit",
    shownBy: "reading",
    make: () => rawPdf([...onePage(), rawStream("/Filter /FlateDecode", packedZeros(1_000))]),
  },
  {
    name: "picture-bomb",
    refusal: "memory_limit",
    shownBy: "reading",
    make: () => {
      const size = 30_000;
      const picture = `/Type /XObject /Subtype /Image /Width ${size} /Height ${size} /BitsPerComponent 8 /ColorSpace /DeviceGray /Filter /FlateDecode`;
      return rawPdf([
        ...onePage({ resources: "/XObject << /P 5 0 R >>" }),
        rawStream("", Buffer.from("q 595 0 0 842 0 0 cm /P Do Q")),
        rawStream(picture, packedZeros((size * size) / 1024 / 1024)),
      ]);
    },
  },
  {
    name: "endless-drawing",
    refusal: "cpu_limit",
    shownBy: "reading",
    // The colour of every pixel is worked out by a program of a hundred thousand steps.
    make: () => {
      const program = `{ mul ${"dup mul ".repeat(50_000)} }`;
      const shading = "/ShadingType 1 /ColorSpace /DeviceGray /Domain [0 1 0 1] /Matrix [595 0 0 842 0 0]";
      return rawPdf([
        ...onePage({ resources: `/Shading << /S << ${shading} /Function 5 0 R >> >>` }),
        rawStream("", Buffer.from("/S sh")),
        rawStream(
          "/FunctionType 4 /Domain [0 1 0 1] /Range [0 1] /Filter /FlateDecode",
          deflateSync(Buffer.from(program)),
        ),
      ]);
    },
  },
];
