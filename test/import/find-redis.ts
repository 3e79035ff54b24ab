import { spawnSync } from "node:child_process";

/** The machine's Redis server, such as Debian's; null when there is none. */
export function findRedis(): string | null {
  return spawnSync("redis-server", ["--version"], { stdio: "ignore" }).status === 0 ? "redis-server" : null;
}
