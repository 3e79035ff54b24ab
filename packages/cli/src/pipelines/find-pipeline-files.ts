import { relative } from "node:path";
import { CliError } from "../errors/cli-error.ts";
import { matchingFiles } from "./matching-files.ts";

const name = "pipelines";
const endings = ["ts", "js", "mjs"];
/** Where pipelines are looked for by default; the first one found is used. */
const usualPlaces = [`lockstep.${name}`, name, `src/${name}`].flatMap((path) =>
  endings.map((ending) => `${path}.${ending}`),
);
const placesOfApps = `apps/*/src/${name}.ts`;

/** The files with pipelines: those asked for, or else those in the usual places. Empty if there are none. */
export async function findPipelineFiles(asked: readonly string[], folder: string): Promise<string[]> {
  if (asked.length === 0) return usualFiles(folder);
  const files: string[] = [];
  for (const pattern of asked) {
    const found = await matchingFiles(pattern, folder);
    if (found.length === 0) {
      throw new CliError({
        exit: "usage",
        code: "pipelines.not_found",
        message: `--pipelines ${pattern}: there is no such file.`,
        advice: `Give the file that exports your pipelines, from ${folder} on.`,
      });
    }
    files.push(...found);
  }
  return [...new Set(files)];
}

async function usualFiles(folder: string): Promise<string[]> {
  for (const place of usualPlaces) {
    const files = await matchingFiles(place, folder);
    if (files.length > 0) return files;
  }
  return matchingFiles(placesOfApps, folder);
}

/** How messages name a file: relative to the working folder if it is inside. */
export function shownPath(file: string, folder: string): string {
  const path = relative(folder, file);
  return path.startsWith("..") ? file : path;
}
