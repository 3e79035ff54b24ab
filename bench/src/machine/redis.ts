import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Redis {
  readonly url: string;
  /** An empty store for the next run. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the machine's Redis, durable as its documentation advises for queues; null when there is none. */
export async function startRedis(): Promise<Redis | null> {
  const port = await freePort();
  const folder = await mkdtemp(join(tmpdir(), "lockstep-bench-redis-"));
  const durable = ["--appendonly", "yes", "--appendfsync", "everysec", "--save", ""];
  const place = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
  const child = spawn("redis-server", [...place, ...durable], { stdio: ["ignore", "pipe", "ignore"] });
  const isThere = await new Promise<boolean>((resolve) => {
    child.on("error", () => resolve(false));
    child.on("exit", () => resolve(false));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (text.includes("Ready to accept connections")) resolve(true);
    });
  });
  if (!isThere) {
    await rm(folder, { recursive: true, force: true });
    return null;
  }
  const end = () => child.kill("SIGKILL");
  process.on("exit", end);
  return {
    url: `redis://127.0.0.1:${port}`,
    flush: () => say(port, "FLUSHALL"),
    async stop() {
      process.off("exit", end);
      const ended = new Promise((resolve) => child.on("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function say(port: number, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${command}\r\n`));
    socket.on("error", reject);
    socket.on("data", () => {
      socket.end();
      resolve();
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
