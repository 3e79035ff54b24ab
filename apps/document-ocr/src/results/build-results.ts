import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BoostedPage } from "../boosting/boosted-page.ts";
import type { PageText } from "../reading/page-text.ts";
import type { ReadingLimits } from "../reading/reading-limits.ts";
import { runReadingTask } from "../reading/run-reading-task.ts";
import { type ResultJson, resultJson } from "./result-json.ts";
import { tablesCsv } from "./tables-csv.ts";

export interface Results {
  /** The original with its scanned pages made searchable. */
  readonly searchablePdf: Uint8Array;
  readonly text: string;
  readonly json: ResultJson;
  /** The tables, if there are any. */
  readonly csv: string | null;
}

/** What people get. The PDF is made in the reading process, for it takes parsing the original once more. */
export async function buildResults(options: {
  readonly pages: readonly PageText[];
  readonly boosted: readonly BoostedPage[];
  readonly file: string;
  /** A folder of this try's own. */
  readonly folder: string;
  readonly limits: ReadingLimits;
  readonly signal: AbortSignal;
}): Promise<Results> {
  const { pages, boosted, file, limits, signal } = options;
  const folder = await mkdtemp(join(options.folder, "results-"));
  try {
    const outputFile = join(folder, "searchable.pdf");
    // A page with an upright text layer is searchable already.
    const changed = pages.filter(
      ({ source, rotationDegrees }) => source !== "text-layer" || rotationDegrees !== 0,
    );
    await runReadingTask(
      { task: "build", file, limits, pages: changed, outputFile },
      { signal, onMessage: () => {} },
    );
    return {
      searchablePdf: await readFile(outputFile),
      text: boosted.map(({ text }) => text).join("\n\n\f"),
      json: resultJson(pages, boosted),
      csv: tablesCsv(pages),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
