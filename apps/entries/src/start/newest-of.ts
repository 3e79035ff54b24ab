import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** When the newest file of a folder was written, in milliseconds. */
export function newestOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((newest, file) => Math.max(newest, statSync(join(file.parentPath, file.name)).mtimeMs), 0);
}
