import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PDFDocument } from "@cantoo/pdf-lib";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openPdf } from "./child/pdf/pdf-document.ts";
import { withPage } from "./child/pdf/pdf-page.ts";
import { readTextLayer } from "./child/pdf/text-layer.ts";
import { defaultReadingLimits as limits } from "./reading-limits.ts";
import { runReadingTask } from "./run-reading-task.ts";

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let file: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "unlock-"));
  file = join(folder, "locked.pdf");
  const document = await PDFDocument.create();
  document.addPage([300, 200]).drawText("A letter under lock and key");
  document.encrypt({ userPassword: "s3cret", ownerPassword: "owner", permissions: {} });
  await writeFile(file, await document.save());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const unlock = (password: string, outputFile: string) =>
  runReadingTask(
    { task: "unlock", file, password, limits, outputFile },
    { signal: new AbortController().signal, onMessage: () => {} },
  );

test("a document that needs a password is readable after it was opened with it, and with no other", async () => {
  await expect(openPdf(file, limits)).rejects.toThrow(/encrypted/);
  const outputFile = join(folder, "open.pdf");
  await expect(unlock("guess", outputFile)).rejects.toMatchObject({ code: "wrong_password" });
  await unlock("s3cret", outputFile);
  const document = await openPdf(outputFile, limits);
  const { lines } = withPage(document, 1, (page) => readTextLayer(page, 100));
  expect(
    lines
      .flat()
      .map(({ text }) => text)
      .join(" "),
  ).toBe("A letter under lock and key");
});
