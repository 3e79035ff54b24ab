import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** When a file, or the newest file of a folder, was written, in milliseconds. */
export function newestOf(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((newest, file) => Math.max(newest, statSync(join(file.parentPath, file.name)).mtimeMs), 0);
}
