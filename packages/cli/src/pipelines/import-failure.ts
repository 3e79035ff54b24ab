import { fileURLToPath, pathToFileURL } from "node:url";
import { CliError } from "../cli-error.ts";

/** Why a file with pipelines could not be imported, with the file and line to look at. */
export function importFailure(thrown: unknown, path: string, file: string): CliError {
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const [, missing] = /Cannot find (?:package|module) '([^']+)'/.exec(message) ?? [];
  return new CliError({
    exit: "failed",
    code: "pipelines.broken",
    message: `${placeOf(thrown, path, file)}: ${firstLine(message, path, file)}`,
    advice:
      missing !== undefined && !/^[./]|^file:/.test(missing)
        ? `Install it where the file lies: npm install ${missing}`
        : "Correct the file; nothing was started.",
    cause: thrown,
  });
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
