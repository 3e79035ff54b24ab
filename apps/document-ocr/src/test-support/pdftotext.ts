import { execFileSync, spawnSync } from "node:child_process";

/** Whether this machine has it. */
export const hasPdftotext = spawnSync("pdftotext", ["-v"]).status === 0;
/** The text of a PDF, in the order that most programs would give it. */
export function pdftotext(file: string): string {
  return execFileSync("pdftotext", [file, "-"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
