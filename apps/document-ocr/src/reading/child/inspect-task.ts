import type { ReadingMessage, ReadingTask } from "../child-protocol.ts";
import { openPdf } from "./pdf/pdf-document.ts";

export async function inspectTask(
  { file, limits }: Extract<ReadingTask, { task: "inspect" }>,
  say: (message: ReadingMessage) => void,
): Promise<void> {
  const { pageCount } = await openPdf(file, limits);
  say({ kind: "pages", count: pageCount });
}
