import { execFile } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const home = fileURLToPath(new URL(".", import.meta.url));

/** The folder of the built console: index.html and its hashed assets. */
export const consoleFolder = join(home, "dist");

/**
 * Where the built console lies, built first when it is missing or older than its source. A published package
 * carries it built and has no source: there this only answers.
 */
export async function ensureConsole() {
  if (!isSource() || isFresh()) return consoleFolder;
  // Beside its place and then moved there: another process may be serving the old one, or be building too.
  const outDir = join(home, `dist.${process.pid}`);
  // Only where the source lies is Vite installed.
  const vite = join(dirname(fileURLToPath(import.meta.resolve("vite/package.json"))), "bin/vite.js");
  const args = [vite, "build", home, "--outDir", outDir, "--emptyOutDir", "--logLevel", "error"];
  // biome-ignore lint/style/noProcessEnv: under another NODE_ENV, such as a test's, it would be React for developers.
  const env = { ...process.env, NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, args, { env });
  rmSync(consoleFolder, { recursive: true, force: true });
  renameSync(outDir, consoleFolder);
  return consoleFolder;
}

function isSource() {
  return existsSync(join(home, "vite.config.ts"));
}

function isFresh() {
  const built = join(consoleFolder, "index.html");
  if (!existsSync(built)) return false;
  const sources = ["src", "public", "index.html", "vite.config.ts", "package.json"];
  return Math.max(...sources.map((name) => changedAt(join(home, name)))) <= statSync(built).mtimeMs;
}

/** @param {string} path @returns {number} */
function changedAt(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))));
}
