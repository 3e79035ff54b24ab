import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { repository } from "../run-command.ts";
import { PublicDeclarations } from "./public-declarations.ts";

/** What a built package declares to TypeScript, as text. Null for one that nobody imports. */
export function apiReportOf(folder: string): string | null {
  const root = join(repository, folder);
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const entries = Object.entries(exports as Record<string, { types: string }>)
    // For other packages of the same release only.
    .filter(([entry]) => entry !== "./internal")
    .map(([entry, { types }]) => ({ entry: join(name, entry), file: join(root, types) }));
  if (entries.length === 0) return null;
  const declarations = new PublicDeclarations(entries.map(({ file }) => file));
  return [
    `# What \`${name}\` declares`,
    "Written by `npm run api-report` and compared by a test: a change of this page is a change that users see.",
    ...entries.map(({ entry, file }) => `\`${entry}\` exports ${declarations.exportsOf(file).join(", ")}.`),
    ...declarations
      .byFile()
      .map(([path, texts]) => `## ${relative(root, path)}\n\n\`\`\`ts\n${texts.join("\n")}\n\`\`\``),
  ]
    .join("\n\n")
    .concat("\n");
}
