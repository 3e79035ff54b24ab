import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { importProblems } from "./import-rules.ts";
import { manifestProblems } from "./manifest-rules.ts";
import { readSourceFiles } from "./source-files.ts";
import { sqlProblems } from "./sql-rules.ts";
import { wordProblems } from "./word-rules.ts";

/** Who may import whom, and which words belong in which room: one sentence for each breach. */
export function checkArrows(root: string): string[] {
  const files = readSourceFiles(root);
  return [importProblems, manifestProblems, wordProblems, sqlProblems].flatMap((check) => check(files));
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const problems = checkArrows(fileURLToPath(new URL("../../", import.meta.url)));
  for (const problem of problems) console.error(problem);
  console.log(
    problems.length === 0 ? "Every import and word is in its room." : `${problems.length} out of place.`,
  );
  process.exitCode = problems.length === 0 ? 0 : 1;
}
