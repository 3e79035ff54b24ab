import { type Language, languages } from "../../reading/languages.ts";
import { cleanScan, type ScanQuality, scannedPdf, scanPdf } from "../scan.ts";
import { pick, seededRandom } from "../seeded-random.ts";
import { type TypesetPage, truthOf, typesetPdf } from "../typeset.ts";
import { type Invoice, invoicePdf, invoiceTruth, makeInvoice } from "./invoice.ts";
import { sentencesIn } from "./texts.ts";

/** How the sheets of a kind were scanned, and how much of their text may be wrong at most. */
export const heldOutKinds = {
  "clean-150": { quality: { dpi: 150 }, most: 0.005 },
  "clean-200": { quality: {}, most: 0.005 },
  columns: { quality: {}, most: 0.005 },
  skew: { quality: { skewDegrees: 3 }, most: 0.02 },
  blur: { quality: { blurPixels: 1.2, grain: 4 }, most: 0.02 },
  noise: { quality: { grain: 24, specks: 0.006 }, most: 0.02 },
  light: { quality: { shadow: 70, glow: 60, grain: 8 }, most: 0.02 },
  fax: { quality: { isBilevel: true, grain: 10, specks: 0.001, skewDegrees: 0.6 }, most: 0.02 },
  photo: { quality: { keystone: 0.03, glow: 50, grain: 8, skewDegrees: -1.5, blurPixels: 0.7 }, most: 0.02 },
  invoice: { quality: { grain: 6, skewDegrees: 0.8 }, most: 0.03 },
} as const satisfies Record<string, { quality: Partial<ScanQuality>; most: number }>;

export type HeldOutKind = keyof typeof heldOutKinds;

/** A document of a kind that the reading was never tuned on, in one of the languages. */
export interface HeldOutDocument {
  readonly name: string;
  readonly kind: HeldOutKind;
  readonly language: Language;
  readonly truth: readonly string[];
  /** The cells of its table, for an invoice. */
  readonly table: Invoice["rows"] | null;
  make(): Promise<Uint8Array>;
}

const fonts = ["serif", "sans", "typewriter"] as const;

/** One of each kind in each language, the same every time. */
export function heldOutDocuments(seed = 7_000): HeldOutDocument[] {
  const kinds = Object.keys(heldOutKinds) as HeldOutKind[];
  return languages.flatMap((language, at) =>
    kinds.map((kind, index) => heldOut(language, kind, seed + at * 100 + index)),
  );
}

function heldOut(language: Language, kind: HeldOutKind, seed: number): HeldOutDocument {
  const random = seededRandom(seed);
  const { skewDegrees = 0, ...quality }: Partial<ScanQuality> = heldOutKinds[kind].quality;
  const laid = { ...cleanScan, ...quality, skewDegrees: random() < 0.5 ? skewDegrees : -skewDegrees };
  const invoice = kind === "invoice" ? makeInvoice(language, random) : null;
  const page = sheet(language, kind === "columns", random);
  return {
    name: `${language}-${kind}`,
    kind,
    language,
    truth: [invoice === null ? truthOf(page) : invoiceTruth(invoice)],
    table: invoice?.rows ?? null,
    make: async () => {
      const printed = await (invoice === null ? typesetPdf([page]) : invoicePdf(invoice));
      return scannedPdf([{ image: await scanPdf(printed, laid, seed), dpi: laid.dpi }]);
    },
  };
}

function sheet(language: Language, isInColumns: boolean, random: () => number): TypesetPage {
  const sentences = [...sentencesIn[language]].sort(() => random() - 0.5);
  const paragraphs = [sentences.slice(0, 4), sentences.slice(4, 7), sentences.slice(7)];
  return {
    heading: `A ${100 + Math.floor(random() * 900)}`,
    font: pick(random, fonts),
    ...(isInColumns ? { columns: 2, fontSize: 10 } : {}),
    paragraphs: paragraphs.map((some) => some.join(" ")),
  };
}
