import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { boostText } from "../boosting/boost-text.ts";
import { readPdf } from "../reading/read-pdf.ts";
import { defaultReadingLimits } from "../reading/reading-limits.ts";
import { characterErrorRate } from "./character-errors.ts";
import { type CorpusDocument, corpusDocuments, type DocumentKind, documentKinds } from "./documents.ts";

// npm run prove:reading [-- KIND or NAME]: reads the whole corpus and says how many characters were wrong, by kind.
const bars: Readonly<Partial<Record<DocumentKind, number>>> = {
  text: 0,
  "clean-scan": 0.01,
  "noisy-scan": 0.03,
};
const only = process.argv[2];
const folder = await mkdtemp(join(tmpdir(), "prove-reading-"));

interface Proved {
  readonly kind: DocumentKind;
  readonly pages: number;
  readonly read: number;
  readonly boosted: number;
}

async function prove(document: CorpusDocument): Promise<Proved> {
  const file = join(folder, `${document.name}.pdf`);
  await writeFile(file, await document.make());
  const pages = await readPdf({
    file,
    folder,
    // How long it takes on a busy machine is not what is proved here.
    limits: { ...defaultReadingLimits, wallMsPerPage: 900_000 },
    ocr: { pagesAtOnce: 2, model: null },
    language: null,
    donePages: new Map(),
    onPage: async () => {},
    onPages: () => {},
    signal: new AbortController().signal,
  });
  const boosted = await boostText(pages);
  const truth = document.truth.join(" ");
  const proved = {
    kind: document.kind,
    pages: pages.length,
    read: characterErrorRate(pages.map(({ text }) => text).join(" "), truth),
    boosted: characterErrorRate(boosted.map(({ text }) => text).join(" "), truth),
  };
  say(`${document.name}: ${percent(proved.read)} as read, ${percent(proved.boosted)} boosted`);
  return proved;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}

try {
  const proved: Proved[] = [];
  for (const document of corpusDocuments()) {
    if (only === undefined || document.kind === only || document.name === only)
      proved.push(await prove(document));
  }
  say("\n| kind | documents | pages | as read | boosted | worst document |\n|---|---|---|---|---|---|");
  for (const kind of documentKinds) {
    const some = proved.filter((one) => one.kind === kind);
    if (some.length === 0) continue;
    const mean = (of: "read" | "boosted") => some.reduce((sum, one) => sum + one[of], 0) / some.length;
    const worst = Math.max(...some.map(({ boosted }) => boosted));
    const pages = some.reduce((sum, one) => sum + one.pages, 0);
    say(
      `| ${kind} | ${some.length} | ${pages} | ${percent(mean("read"))} | ${percent(mean("boosted"))} | ${percent(worst)} |`,
    );
    const bar = bars[kind];
    if (bar !== undefined && Math.max(mean("read"), mean("boosted")) > bar) {
      say(`${kind} has more than ${percent(bar)} of errors.`);
      process.exitCode = 1;
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
