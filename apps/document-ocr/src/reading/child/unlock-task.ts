import { readFile, writeFile } from "node:fs/promises";
import { PDFDocument } from "@cantoo/pdf-lib";
import type { ReadingTask } from "../child-protocol.ts";
import { checkPdfFile } from "./pdf/check-pdf-file.ts";
import { Refusal } from "./refusal.ts";

/** Writes the document without its password. */
export async function unlockTask(task: Extract<ReadingTask, { task: "unlock" }>): Promise<void> {
  const bytes = await readFile(task.file);
  checkPdfFile(bytes, task.limits);
  const document = await PDFDocument.load(bytes, { password: task.password, updateMetadata: false }).catch(
    (error: unknown) => {
      throw new Refusal(
        "wrong_password",
        /password/i.test(String(error))
          ? "The password does not open the document. Check it and try again."
          : "The document cannot be opened with a password: its encryption is unknown. Save it without one and add it again.",
      );
    },
  );
  // It is kept from reading otherwise, and the copy would say that it is still encrypted.
  delete document.context.trailerInfo.Encrypt;
  await writeFile(task.outputFile, await document.save());
}
