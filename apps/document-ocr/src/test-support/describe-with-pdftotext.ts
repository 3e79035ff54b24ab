import { describe } from "vitest";
import { hasPdftotext } from "./pdftotext.ts";

const needs = "needs pdftotext: apt-get install poppler-utils";

/** Tests that ask a program of others for the text of a PDF; where there is none they are named as not run. */
export function describeWithPdftotext(name: string, tests: () => void): void {
  describe.skipIf(!hasPdftotext)(hasPdftotext ? name : `${name} ${needs}`, tests);
}
