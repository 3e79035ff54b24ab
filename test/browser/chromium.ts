import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "@playwright/test";

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

// Nothing of the machine's: no sandbox as root, no calls home.
const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Fifty tabs in four processes instead of fifty.
  "--renderer-process-limit=4",
];

/** Where this machine has a Chromium, `CHROMIUM` first; null where it has none. */
export function findChromium(): string | null {
  // biome-ignore lint/style/noProcessEnv: a program is looked for where the machine keeps its programs.
  const { CHROMIUM, PATH = "" } = process.env;
  const folders = [...PATH.split(delimiter), "/usr/bin", "/usr/local/bin"].filter(Boolean);
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [CHROMIUM ?? "", ...places].find(isExecutable) ?? null;
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error("This machine has no Chromium.");
  return await chromium.launch({ executablePath, args: flags });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return path !== "";
  } catch {
    return false;
  }
}
