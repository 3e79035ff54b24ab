import { mixedPdf } from "./mixed-pdf.ts";
import { cleanScan, type ScanQuality, scannedPdf, scanPage } from "./scan.ts";
import { seededRandom } from "./seeded-random.ts";
import { accentedParagraph, englishParagraph } from "./sentences.ts";
import { type TypesetPage, truthOf, typesetPdf } from "./typeset.ts";

export const documentKinds = [
  "text",
  "clean-scan",
  "noisy-scan",
  "mixed",
  "columns",
  "rotated",
  "long",
  "letters",
] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** A document whose every word is known. */
export interface CorpusDocument {
  readonly name: string;
  readonly kind: DocumentKind;
  /** What each page says. */
  readonly truth: readonly string[];
  make(): Promise<Uint8Array>;
}

const fonts = ["serif", "sans", "typewriter"] as const;
const quarters = [1, 2, 3] as const;

/** At least forty, the same every time. */
export function corpusDocuments(seed = 2026): CorpusDocument[] {
  return [
    ...several("text", 6, (at) => ({
      kind: "typeset",
      pages: times(1 + (at % 3), (page) => sheet(seed + at, page)),
    })),
    ...several("clean-scan", 9, (at) => scan([sheet(seed + 100 + at, at)], cleanScan)),
    ...several("noisy-scan", 9, (at) => scan([sheet(seed + 200 + at, at)], noise(at))),
    ...several("mixed", 4, (at) => ({
      kind: "mixed",
      pages: [sheet(seed + 300 + at, at), sheet(seed + 310 + at, at)],
      quality: cleanScan,
    })),
    ...several("columns", 4, (at) => {
      const page = { ...sheet(seed + 400 + at, at), columns: 2, fontSize: 10 };
      return at % 2 === 0 ? { kind: "typeset", pages: [page] } : scan([page], cleanScan);
    }),
    ...several("rotated", 6, (at) => {
      const turn = quarters[at % 3] ?? 1;
      const page = sheet(seed + 500 + at, at);
      if (at >= 3) return scan([page], { ...cleanScan, quarterTurns: turn, skewDegrees: 0.7 });
      return { kind: "typeset", pages: [{ ...page, turnedDegrees: (turn * 90) as 90 | 180 | 270 }] };
    }),
    ...several("long", 1, () =>
      scan(
        times(30, (page) => note(seed + 600 + page, page)),
        cleanScan,
      ),
    ),
    ...several("letters", 3, (at) => ({
      kind: "typeset",
      pages: [
        { font: fonts[at] ?? "serif", paragraphs: [accentedParagraph(seededRandom(seed + 700 + at), 6)] },
      ],
    })),
  ];
}

type Recipe =
  | { readonly kind: "typeset"; readonly pages: readonly TypesetPage[] }
  | {
      readonly kind: "scan" | "mixed";
      readonly pages: readonly TypesetPage[];
      readonly quality: ScanQuality;
    };

function several(kind: DocumentKind, count: number, recipe: (at: number) => Recipe): CorpusDocument[] {
  return times(count, (at) => {
    const cooked = recipe(at);
    const name = count === 1 ? kind : `${kind}-${at + 1}`;
    return { name, kind, truth: cooked.pages.map(truthOf), make: () => make(cooked) };
  });
}

async function make(recipe: Recipe): Promise<Uint8Array> {
  if (recipe.kind === "typeset") return typesetPdf(recipe.pages);
  if (recipe.kind === "mixed") return mixedPdf(recipe.pages, recipe.quality);
  const { dpi } = recipe.quality;
  const images = [];
  for (const [at, page] of recipe.pages.entries()) {
    images.push({ image: await scanPage(page, recipe.quality, at + 1), dpi });
  }
  return scannedPdf(images);
}

function scan(pages: readonly TypesetPage[], quality: ScanQuality): Recipe {
  return { kind: "scan", pages, quality };
}

function sheet(seed: number, at: number): TypesetPage {
  const random = seededRandom(seed);
  return {
    heading: `Report ${1 + Math.floor(random() * 900)}`,
    font: fonts[at % fonts.length] ?? "serif",
    paragraphs: times(3, () => englishParagraph(random, 4)),
  };
}

/** A page with little on it, so that a long document stays quick to read. */
function note(seed: number, at: number): TypesetPage {
  return { heading: `Page ${at + 1}`, paragraphs: [englishParagraph(seededRandom(seed), 3)] };
}

/** Each a little different: grain, specks, a shadow, and a sheet that lies askew either way. */
function noise(at: number): ScanQuality {
  return {
    ...cleanScan,
    skewDegrees: ((at % 5) - 2) * 1.6,
    grain: 16 + (at % 3) * 8,
    specks: 0.003 + (at % 4) * 0.003,
    shadow: (at % 2) * 60,
  };
}

function times<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: count }, (_, at) => make(at));
}
