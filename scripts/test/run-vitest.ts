import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { programOf, runNode } from "../run-command.ts";
import type { RunReport } from "./count-reporter.ts";

export interface Counts {
  passed: number;
  failed: number;
  notRun: string[];
}

/** Runs the tests and counts them. Arguments choose files, as with vitest itself. */
export async function runVitest(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "lockstep-report-"));
  try {
    const file = join(folder, "report.json");
    const reporters = ["--reporter=default", "--reporter=./scripts/test/count-reporter.ts"];
    const code = await runNode([...programOf("vitest"), "run", ...reporters, ...args], {
      ...env,
      LOCKSTEP_RUN_REPORT: file,
    });
    return count(readReport(file), code);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function count(report: RunReport | undefined, code: number): Counts {
  if (report === undefined) return { passed: 0, failed: 1, notRun: [] };
  const tests = report.files.flatMap((file) => file.tests);
  const isFailed = ({ state }: { state: string }) => state === "failed";
  // A file that does not load, or whose hook fails, has no failed test and is a failure all the same.
  const brokenFiles = report.files.filter((file) => file.hasFailed && !file.tests.some(isFailed));
  const failed = tests.filter(isFailed).length + brokenFiles.length;
  return {
    passed: tests.filter(({ state }) => state === "passed").length,
    // An error outside of every test shows in the exit code alone.
    failed: code !== 0 && failed === 0 ? 1 : failed,
    notRun: tests.filter(({ state }) => state !== "passed" && state !== "failed").map(({ title }) => title),
  };
}

function readReport(file: string): RunReport | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}
