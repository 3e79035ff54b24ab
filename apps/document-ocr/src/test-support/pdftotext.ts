import { execFileSync, spawnSync } from "node:child_process";
import { describe } from "vitest";

const hasIt = spawnSync("pdftotext", ["-v"]).status === 0;
const needs = "needs pdftotext: apt-get install poppler-utils";

/** Tests that ask a program of others for the text of a PDF; where there is none they are named as not run. */
export function describeWithPdftotext(name: string, tests: () => void): void {
  describe.skipIf(!hasIt)(hasIt ? name : `${name} ${needs}`, tests);
}

/** The text of a PDF, in the order that most programs would give it. */
export function pdftotext(file: string): string {
  return execFileSync("pdftotext", [file, "-"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
