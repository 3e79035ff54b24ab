import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

const name = ".env";

/** Sets what the folder's `.env` says and nobody has set, and comes back with a sentence about it; null if there is nothing to say. */
export function readEnvFile(folder: string, env: Record<string, string | undefined>): string | null {
  let text: string;
  try {
    text = readFileSync(join(folder, name), "utf8");
  } catch (error) {
    const { code } = error as { code?: string };
    // Some keep a folder of this name.
    return code === "ENOENT" || code === "EISDIR" ? null : `${name} could not be read (${code}).`;
  }
  const taken = Object.entries(parseEnv(text)).filter(([variable]) => env[variable] === undefined);
  for (const [variable, value] of taken) env[variable] = value;
  return taken.length === 0 ? null : `${name} was read: ${taken.map(([variable]) => variable).join(", ")}`;
}
