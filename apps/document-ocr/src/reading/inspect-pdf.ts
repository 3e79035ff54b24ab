import type { ReadingLimits } from "./reading-limits.ts";
import { runReadingTask } from "./run-reading-task.ts";

/** Looks at a document without reading its pages; refuses what cannot or must not be read. */
export async function inspectPdf(
  file: string,
  limits: ReadingLimits,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ pages: number }> {
  let pages = 0;
  await runReadingTask(
    { task: "inspect", file, limits },
    {
      signal,
      onMessage: (message) => {
        if (message.kind === "pages") pages = message.count;
      },
    },
  );
  return { pages };
}
