import { basename } from "node:path";
import type { SourceFile } from "./source-files.ts";

/** One function a file, under its own name; and migrations that do not depend on what functions say today. */
export function sqlProblems(files: SourceFile[]): string[] {
  const functions = files.filter(({ path }) => /^packages\/database\/functions\/.+\.sql$/.test(path));
  const migrations = files.filter(({ path }) => /^packages\/database\/migrations\/[^/]+\.sql$/.test(path));
  const names = new Set(functions.map(({ path }) => basename(path, ".sql")));
  return [
    ...functions.flatMap(functionProblems),
    ...functions.flatMap((one, index) => twinProblems(one, functions.slice(0, index))),
    ...migrations.flatMap((migration) => migrationProblems(migration, names)),
  ];
}

function functionProblems({ path, code }: SourceFile): string[] {
  const created = [...code.matchAll(/\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+([\w.]+)/gi)];
  const wanted = `lockstep.${basename(path, ".sql")}`;
  if (created.length === 1 && created[0]?.[1] === wanted) return furtherProblems(path, code);
  const found = created.map(([, name]) => name).join(", ") || "none";
  return [`${path} must hold exactly one function, ${wanted}; it holds ${found}.`];
}

/** Of two files for one function, migrate would leave whichever it reads last. */
function twinProblems({ path }: SourceFile, before: SourceFile[]): string[] {
  const twin = before.find((one) => basename(one.path) === basename(path));
  return twin === undefined ? [] : [`${path} and ${twin.path} hold the same function: one of them goes.`];
}

/** Files of functions are run whenever one of them has changed, beside jobs that go on. */
function furtherProblems(path: string, code: string): string[] {
  const end = code.indexOf("$$;");
  const further = end === -1 ? "" : code.slice(end + "$$;".length).trim();
  return further === ""
    ? []
    : [`${path} holds more than its function. Triggers and whatever locks a table belong into a migration.`];
}

function migrationProblems({ path, code }: SourceFile, names: Set<string>): string[] {
  // A changed signature is dropped by a migration and made again by its file.
  // A trigger needs its function to be there, and names it.
  const rest = code
    .replace(/\bdrop\s+function\b[^;]*;/gi, "")
    .replace(/\b(create\s+(or\s+replace\s+)?|execute\s+)function\s+[\w.]+\s*\(/gi, "");
  const called = [...rest.matchAll(/\blockstep\.(\w+)\s*\(/g)].map(([, name = ""]) => name);
  return [...new Set(called)]
    .filter((name) => names.has(name))
    .map(
      (name) =>
        `${path} calls lockstep.${name}. A migration calls no function of ours: its result would depend on the day it runs.`,
    );
}
