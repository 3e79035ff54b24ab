import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

export interface SourceFile {
  /** From the root, with forward slashes. */
  path: string;
  /** As written. */
  text: string;
  /** Without its comments, which may speak of anything. */
  code: string;
  isTest: boolean;
}

// What only tests use may do what tests do.
const testFile = /\.(test|story)\.tsx?$|^(apps|packages)\/[^/]+\/src\/test-support\//;
const skipped = /^(node_modules|dist(\..*)?|coverage|\..*)$/;

export function readSourceFiles(root: string): SourceFile[] {
  return walk(root)
    .map((path) => ({ path, name: relative(root, path).split(sep).join("/") }))
    .filter(({ name }) => /\.(ts|tsx|js|sql)$|(^|\/)package\.json$/.test(name))
    .map(({ path, name }) => {
      const text = readFileSync(path, "utf8");
      const code = name.endsWith(".sql") ? text.replace(/--.*$/gm, "") : withoutComments(text);
      return { path: name, text, code, isTest: testFile.test(name) };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.test(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(path) : [path];
  });
}

/** Good enough for our own formatting: a comment starts a line or follows a space, and an address has no space before its slashes. */
function withoutComments(text: string): string {
  return text.replace(/(^|\s)\/\*[\s\S]*?\*\//g, "$1").replace(/(^|\s)\/\/.*$/gm, "$1");
}
