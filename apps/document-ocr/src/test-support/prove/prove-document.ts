import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boostText } from "../../boosting/boost-text.ts";
import { characterErrorRate } from "../../corpus/character-errors.ts";
import { corpusDocuments, type DocumentKind } from "../../corpus/documents.ts";
import { heldOutDocuments, heldOutKinds } from "../../corpus/held-out/documents.ts";
import { readPdf } from "../../reading/read-pdf.ts";
import { defaultReadingLimits } from "../../reading/reading-limits.ts";
import { buildResults } from "../../results/build-results.ts";
import { hasPdftotext, pdftotext } from "../pdftotext.ts";

/** A document whose every word is known, and how much of it may be read wrongly. */
export interface Provable {
  readonly name: string;
  readonly kind: string;
  readonly truth: readonly string[];
  readonly most: number;
  make(): Promise<Uint8Array>;
}

export interface Proved {
  readonly name: string;
  readonly kind: string;
  readonly pages: number;
  /** Shares of the letters that are wrong. */
  readonly read: number;
  readonly boosted: number;
  /** What `pdftotext` gives, compared with what was read; null where this machine has none. */
  readonly found: number | null;
  readonly problems: readonly string[];
}

const [clean, noisy] = [0.005, 0.02];
const bars: Readonly<Partial<Record<DocumentKind, number>>> = { text: 0, letters: 0, "noisy-scan": noisy };
const mostLostInPdf = 0.01;

/** Everything that was ever tuned on, and everything that was not. */
export function provableDocuments(): Provable[] {
  const known = corpusDocuments().map(({ name, kind, truth, make }) => {
    return { name, kind, truth, make, most: bars[kind] ?? clean };
  });
  const heldOut = heldOutDocuments().map(({ name, kind, truth, make }) => {
    return { name, kind: `held-out ${kind}`, truth, make, most: heldOutKinds[kind].most };
  });
  return [...known, ...heldOut];
}

/** Reads a document as the app does, and compares what comes out with what is known. */
export async function proveDocument({ name, kind, truth, most, make }: Provable): Promise<Proved> {
  const folder = await mkdtemp(join(tmpdir(), "prove-reading-"));
  try {
    const file = join(folder, "document.pdf");
    await writeFile(file, await make());
    const { signal } = new AbortController();
    // How long it takes on a busy machine is not what is proved here.
    const limits = { ...defaultReadingLimits, wallMsPerPage: 900_000 };
    const pages = await readPdf({
      ...{ file, folder, limits, signal, language: null, donePages: new Map() },
      ocr: { pagesAtOnce: 1, model: null },
      onPage: async () => {},
      onPages: () => {},
    });
    const boosted = await boostText(pages);
    const { searchablePdf } = await buildResults({ pages, boosted, file, folder, limits, signal });
    const searchable = join(folder, "searchable.pdf");
    await writeFile(searchable, searchablePdf);
    const text = pages.map((page) => page.text).join(" ");
    const read = characterErrorRate(text, truth.join(" "));
    const found = hasPdftotext ? characterErrorRate(pdftotext(searchable), text) : null;
    const problems: string[] = [];
    if (read > most) problems.push(`${name}: ${percent(read)} is wrong, and ${percent(most)} is the most.`);
    if ((found ?? 0) > mostLostInPdf) problems.push(`${name}: pdftotext differs by ${percent(found ?? 0)}.`);
    return {
      ...{ name, kind, read, found, problems, pages: pages.length },
      boosted: characterErrorRate(boosted.map((page) => page.text).join(" "), truth.join(" ")),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
