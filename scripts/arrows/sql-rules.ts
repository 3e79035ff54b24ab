import { basename } from "node:path";
import type { SourceFile } from "./source-files.ts";

/** One function a file, under its own name; and migrations that do not depend on what functions say today. */
export function sqlProblems(files: SourceFile[]): string[] {
  const functions = files.filter(({ path }) => /^packages\/database\/functions\/[^/]+\.sql$/.test(path));
  const migrations = files.filter(({ path }) => /^packages\/database\/migrations\/[^/]+\.sql$/.test(path));
  const names = new Set(functions.map(({ path }) => basename(path, ".sql")));
  return [
    ...functions.flatMap(functionProblems),
    ...migrations.flatMap((migration) => migrationProblems(migration, names)),
  ];
}

function functionProblems({ path, code }: SourceFile): string[] {
  const created = [...code.matchAll(/\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+([\w.]+)/gi)];
  const wanted = `lockstep.${basename(path, ".sql")}`;
  if (created.length === 1 && created[0]?.[1] === wanted) return [];
  const found = created.map(([, name]) => name).join(", ") || "none";
  return [`${path} must hold exactly one function, ${wanted}; it holds ${found}.`];
}

function migrationProblems({ path, code }: SourceFile, names: Set<string>): string[] {
  // A changed signature is dropped by a migration and made again by its file.
  const rest = code.replace(/\bdrop\s+function\b[^;]*;/gi, "");
  const called = [...rest.matchAll(/\blockstep\.(\w+)\s*\(/g)].map(([, name = ""]) => name);
  return [...new Set(called)]
    .filter((name) => names.has(name))
    .map(
      (name) =>
        `${path} calls lockstep.${name}. A migration calls no function of ours: its result would depend on the day it runs.`,
    );
}
