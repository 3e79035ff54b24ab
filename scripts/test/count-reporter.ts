import { writeFileSync } from "node:fs";
import type { Reporter, TestModule } from "vitest/node";

/** What came of a run, file by file. */
export interface RunReport {
  files: { hasFailed: boolean; tests: { state: string; title: string }[] }[];
}

/** Writes the outcome of a Vitest run to the file that the environment names. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env.LOCKSTEP_RUN_REPORT;
    if (file === undefined) return;
    const report: RunReport = {
      files: modules.map((module) => ({
        hasFailed: module.state() === "failed",
        tests: [...module.children.allTests()].map((test) => ({
          state: test.result().state,
          title: test.fullName,
        })),
      })),
    };
    writeFileSync(file, JSON.stringify(report));
  }
}
