import { spawnSync } from "node:child_process";
import { findChromium } from "../test/browser/chromium.ts";

const updateMs = 60_000;
const installMs = 180_000;

/** A sentence where there is no browser for the stories of the console and none could be installed; else null. */
export function ensureChromium(): string | null {
  if (findChromium() !== null) return null;
  const isRoot = process.getuid?.() === 0;
  if (isRoot && hasApt()) {
    console.log("There is no Chromium for the browser stories: installing Debian's.");
    apt(["update", "-qq"], updateMs);
    apt(["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-liberation"], installMs);
    if (findChromium() !== null) return null;
  }
  return "There is no Chromium, so the stories of the console in a browser are not run. Install one, such as with `apt-get install -y chromium fonts-liberation`, or say where it is: CHROMIUM=/path/to/chromium npm test.";
}

function hasApt(): boolean {
  return spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status === 0;
}

/** Bounded: without a network the tests go on without it. */
function apt(args: string[], timeout: number): void {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const quick = [
    "-o",
    "Acquire::Retries=0",
    "-o",
    "Acquire::http::Timeout=20",
    "-o",
    "DPkg::Lock::Timeout=20",
  ];
  spawnSync("apt-get", [...quick, ...args], { env, timeout, stdio: ["ignore", "ignore", "inherit"] });
}
