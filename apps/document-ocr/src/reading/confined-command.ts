import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { platform } from "node:os";
import type { ReadingLimits } from "./reading-limits.ts";

/** Nothing of the worker's own environment: what reads foreign files need not know its secrets. */
export const confinedEnvironment = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  LC_ALL: "C",
  TZ: "UTC",
  // Files are read before anything else is done, so one thread for them is enough.
  UV_THREADPOOL_SIZE: "1",
};

// Each runs the command that follows it as the same process, so that the pid stays and signals arrive.
const networkWalls = [
  ["unshare", "--net", "--"],
  ["unshare", "--map-root-user", "--net", "--"],
];
// A worker that is killed cannot end the reading process; the kernel does it then.
const deathWall = ["setpriv", "--pdeathsig", "KILL", "--"];

/**
 * The command, a Node with so many threads, inside every wall that this system has: no network, dead with its parent, held to its
 * memory.
 */
export async function confinedCommand(
  command: readonly string[],
  limits: ReadingLimits,
  threads: number,
): Promise<{ command: string; args: string[] }> {
  walls ??= findWalls();
  reservedBytes ??= reservedByThread();
  const memoryWall = [
    "prlimit",
    `--data=${limits.memoryBytes + threads * reservedBytes}`,
    `--fsize=${limits.mostOutputBytes}`,
    "--core=0",
    "--",
  ];
  const { before, hasLimits } = await walls;
  const [first = "", ...args] = [...before, ...(hasLimits ? memoryWall : []), ...command];
  return { command: first, args };
}

/**
 * Newer Nodes reserve 512 MiB for compiled code in each thread, writable, so that the kernel counts all of it although hardly any is ever
 * used. This process has as much in a thread as one that it starts.
 */
function reservedByThread(): number {
  if (platform() !== "linux") return 0;
  const mappings = readFileSync("/proc/self/maps", "utf8").matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp /gm);
  const sizes = [...mappings].map(
    ([, from = "", to = ""]) => Number.parseInt(to, 16) - Number.parseInt(from, 16),
  );
  // A little of it may be set apart for something else.
  return Math.ceil(Math.max(0, ...sizes) / wholeBytes) * wholeBytes;
}

const wholeBytes = 16 * 1024 * 1024;
let reservedBytes: number | undefined;

interface Walls {
  readonly before: readonly string[];
  readonly hasLimits: boolean;
}

let walls: Promise<Walls> | undefined;

async function findWalls(): Promise<Walls> {
  if (platform() !== "linux") return { before: [], hasLimits: false };
  const [plainNetwork, mappedNetwork, death, hasLimits] = await Promise.all([
    ...networkWalls.map(works),
    works(deathWall),
    works(["prlimit", "--core=0", "--"]),
  ]);
  const network = networkWalls[plainNetwork ? 0 : mappedNetwork ? 1 : -1] ?? [];
  return { before: [...network, ...(death ? deathWall : [])], hasLimits: hasLimits ?? false };
}

function works([command = "", ...args]: readonly string[]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, [...args, "true"], { stdio: "ignore", env: confinedEnvironment });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
  });
}
