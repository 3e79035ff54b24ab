import type { PDFPage } from "@cantoo/pdf-lib";
import type { GrayImage } from "../reading/child/image/gray-image.ts";
import { turnImage } from "../reading/child/image/turned-image.ts";
import { drawPage } from "../reading/child/pdf/draw-page.ts";
import { withPage } from "../reading/child/pdf/pdf-page.ts";
import { loadPdfium, type Pdfium } from "../reading/child/pdf/pdfium.ts";
import { blurred, tapered } from "./optics.ts";
import { type Random, seededRandom } from "./seeded-random.ts";
import { newDocument, type TypesetPage, typesetPdf } from "./typeset.ts";

/** How badly a page was scanned. */
export interface ScanQuality {
  readonly dpi: number;
  /** How far the sheet lies askew, clockwise. */
  readonly skewDegrees: number;
  /** How the sheet was laid in: quarter turns, clockwise. */
  readonly quarterTurns: 0 | 1 | 2 | 3;
  /** The spread of the grain, in shades of 255. */
  readonly grain: number;
  /** The share of pixels that are specks, dark or light. */
  readonly specks: number;
  /** How much darker one edge is than the other, in shades of 255. */
  readonly shadow: number;
  /** How far the light of a pixel spreads; 0: sharp. */
  readonly blurPixels: number;
  /** How much darker the corners are than the middle, as below a lamp, in shades of 255. */
  readonly glow: number;
  /** How much narrower the top is than the bottom, as a share: the camera was held at an angle. */
  readonly keystone: number;
  /** Black and white only, as a fax machine sends it. */
  readonly isBilevel: boolean;
}

export const cleanScan: ScanQuality = {
  dpi: 200,
  skewDegrees: 0,
  quarterTurns: 0,
  grain: 0,
  specks: 0,
  shadow: 0,
  blurPixels: 0,
  glow: 0,
  keystone: 0,
  isBilevel: false,
};

let pdfium: Promise<Pdfium> | undefined;

/** A page as a scanner would give it. */
export async function scanPage(page: TypesetPage, quality: ScanQuality, seed: number): Promise<GrayImage> {
  return scanPdf(await typesetPdf([page]), quality, seed);
}

/** The first page of a PDF as a scanner would give it. */
export async function scanPdf(bytes: Uint8Array, quality: ScanQuality, seed: number): Promise<GrayImage> {
  pdfium ??= loadPdfium();
  const image = await drawFirstPage(await pdfium, bytes, quality.dpi);
  const turned = turnImage(image, (4 - quality.quarterTurns) % 4, -quality.skewDegrees);
  return aged(blurred(tapered(turned, quality.keystone), quality.blurPixels), quality, seededRandom(seed));
}

/** A PDF that holds nothing but the pictures. */
export async function scannedPdf(images: readonly { image: GrayImage; dpi: number }[]): Promise<Uint8Array> {
  const document = await newDocument();
  for (const { image, dpi } of images) {
    const page = document.addPage([(image.width * 72) / dpi, (image.height * 72) / dpi]);
    placePicture(page, image, dpi);
  }
  return document.save();
}

/** Puts a picture on a page, at its lower left corner. */
export function placePicture(page: PDFPage, { width, height, pixels }: GrayImage, dpi: number): void {
  const { context } = page.doc;
  const picture = context.flateStream(pixels, {
    Type: "XObject",
    Subtype: "Image",
    Width: width,
    Height: height,
    ColorSpace: "DeviceGray",
    BitsPerComponent: 8,
  });
  const name = page.node.newXObject("Scan", context.register(picture));
  const drawing = `q ${(width * 72) / dpi} 0 0 ${(height * 72) / dpi} 0 0 cm ${name} Do Q`;
  page.node.addContentStream(context.register(context.stream(drawing)));
}

async function drawFirstPage(library: Pdfium, bytes: Uint8Array, dpi: number): Promise<GrayImage> {
  const pointer = library.wasmExports.malloc(bytes.length);
  library.HEAPU8.set(bytes, pointer);
  const handle = library._FPDF_LoadMemDocument(pointer, bytes.length, 0);
  try {
    return withPage({ pdfium: library, handle, pageCount: 1 }, 1, (page) => drawPage(page, dpi));
  } finally {
    library._FPDF_CloseDocument(handle);
    library.wasmExports.free(pointer);
  }
}

function aged(image: GrayImage, quality: ScanQuality, random: Random): GrayImage {
  const { grain, specks, shadow, glow, isBilevel } = quality;
  if (grain === 0 && specks === 0 && shadow === 0 && glow === 0 && !isBilevel) return image;
  const { width, height } = image;
  const pixels = image.pixels.map((pixel, at) => {
    if (random() < specks) return random() < 0.5 ? 0 : 255;
    const [x, y] = [(at % width) / width, Math.floor(at / width) / height];
    const darker = shadow * x + glow * 2 * ((x - 0.5) ** 2 + (y - 0.5) ** 2);
    // Ink is not quite black and paper not quite white, or half of the grain would be cut off.
    const printed = 25 + pixel * 0.86 - darker;
    const noise = (random() + random() + random() - 1.5) * 2 * grain;
    const shade = Math.max(0, Math.min(255, Math.round(printed + noise)));
    return isBilevel ? (shade < 128 ? 0 : 255) : shade;
  });
  return { width, height, pixels };
}
