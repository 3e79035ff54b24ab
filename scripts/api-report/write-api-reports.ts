// The public declarations of each package as text, so that a review sees what changes for users.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages } from "../build/published-packages.ts";
import { repository, runNode } from "../run-command.ts";
import { apiReportOf } from "./api-report-of.ts";

process.exitCode = await runNode([
  "--conditions=@lockstep/source",
  "--import",
  "tsx",
  "scripts/build/main.ts",
]);
if (process.exitCode === 0) {
  for (const folder of publishedPackages) {
    const report = apiReportOf(folder);
    if (report !== null) writeFileSync(join(repository, folder, "api-report.md"), report);
  }
}
