// Run after `npm install` behind a registry that shows only some platforms' packages: npm leaves the others out of
// the lockfile, and `npm ci` then refuses it. This names them again, from what their parents ask for.
import { readFileSync, writeFileSync } from "node:fs";

interface LockedPackage {
  version?: string;
  dev?: boolean;
  optionalDependencies?: Record<string, string>;
}

const osByWord: Record<string, string> = {
  android: "android",
  darwin: "darwin",
  freebsd: "freebsd",
  linux: "linux",
  openharmony: "openharmony",
  win32: "win32",
  windows: "win32",
};
const cpuWords = ["arm", "arm64", "ia32", "loong64", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

const lockfile = new URL("../../package-lock.json", import.meta.url);
const lock: { packages: Record<string, object> } = JSON.parse(readFileSync(lockfile, "utf8"));
for (const [folder, parent] of Object.entries(lock.packages) as [string, LockedPackage][]) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lock.packages[place] ?? lock.packages[`${folder}/${place}`]) continue;
    lock.packages[place] = entryFor(name, version, parent.dev === true);
    console.log(`added ${name}`);
  }
}
const [root, ...others] = Object.entries(lock.packages);
others.sort(([one], [other]) => (one < other ? -1 : 1));
lock.packages = Object.fromEntries(root === undefined ? others : [root, ...others]);
writeFileSync(lockfile, `${JSON.stringify(lock, null, 2)}\n`);

function entryFor(name: string, version: string, isDev: boolean): object {
  const words = name.split("/").at(-1)?.split("-") ?? [];
  const cpu = words.filter((word) => cpuWords.includes(word));
  const os = words.map((word) => osByWord[word]).filter((word) => word !== undefined);
  const libc = words.some((word) => word.startsWith("musl")) ? ["musl"] : ["glibc"];
  return {
    version: version.replace(/^[~^]/, ""),
    ...(cpu.length > 0 && { cpu }),
    ...(isDev && { dev: true }),
    ...(os.includes("linux") && { libc }),
    optional: true,
    ...(os.length > 0 && { os }),
  };
}
