import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../run-command.ts";

/** The text of a file, by its path in the repository. */
export function read(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

/** The paths of all files below a folder whose names end so. */
export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending) && !path.includes("node_modules"))
    .map((path) => `${folder}/${path}`)
    .sort();
}

/** The rows of the first table after a heading, without its head; each a list of cells. */
export function tableUnder(page: string, heading: string): string[][] {
  const [, after = ""] = page.split(`\n${heading}\n`);
  const [table = ""] = /^\|.*(?:\n\|.*)*/m.exec(after) ?? [];
  const [, , ...rows] = table.split("\n");
  return rows.map(cellsOf);
}

/** The rows of all tables of a page, without their heads. */
export function tablesOf(page: string): string[][] {
  return [...page.matchAll(/^\|.*(?:\n\|.*)*/gm)].flatMap(([table]) =>
    table.split("\n").slice(2).map(cellsOf),
  );
}

/** The code blocks of one language. */
export function blocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, code = ""]) => code,
  );
}

// A pipe within a cell is written \|.
function cellsOf(row: string): string[] {
  return row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}
