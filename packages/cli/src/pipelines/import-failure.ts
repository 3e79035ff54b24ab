import { fileURLToPath, pathToFileURL } from "node:url";
import { CliError } from "../errors/cli-error.ts";
import { shownPath } from "./find-pipeline-files.ts";

/** Why a file with pipelines could not be imported, with the file and line to look at. */
export function importFailure(thrown: unknown, path: string, folder: string): CliError {
  const file = shownPath(path, folder);
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const [, missing] = /Cannot find (?:package|module) '([^']+)'/.exec(message) ?? [];
  return new CliError({
    exit: "failed",
    code: "pipelines.broken",
    message: `${compilerPlace(message, folder) ?? placeOf(thrown, path, file)}: ${firstLine(message, path, file)}`,
    advice:
      missing !== undefined && !/^[./]|^file:/.test(missing)
        ? `Install it in the project of that file: npm install ${missing}`
        : "Correct the file; nothing was started.",
    cause: thrown,
  });
}

/** What cannot be compiled may be a file that this one imports. */
function compilerPlace(message: string, folder: string): string | null {
  const [, path, place] = /^(.+?)(:\d+:\d+): ERROR: /m.exec(message) ?? [];
  return path === undefined ? null : `${shownPath(path, folder)}${place}`;
}

/** The first place in the file itself that the stack or the compiler names. */
function placeOf(thrown: unknown, path: string, file: string): string {
  const text = thrown instanceof Error ? `${thrown.message}\n${thrown.stack ?? ""}` : "";
  const names = [path, pathToFileURL(path).href, fileURLToPath(pathToFileURL(path))];
  for (const line of text.split("\n")) {
    const name = names.find((each) => line.includes(each));
    if (name === undefined) continue;
    const [, place] = /^(?:\?[^:]*)?(:\d+(?::\d+)?)/.exec(line.slice(line.indexOf(name) + name.length)) ?? [];
    if (place !== undefined) return `${file}${place}`;
  }
  return file;
}

function firstLine(message: string, path: string, file: string): string {
  const lines = message.split("\n").filter((line) => line.trim() !== "");
  // esbuild's first line only says that there were errors.
  const line = lines.find((each) => each.includes("ERROR: ")) ?? lines[0] ?? "it cannot be read";
  return line.replace(/^.*ERROR: /, "").replaceAll(path, file);
}
