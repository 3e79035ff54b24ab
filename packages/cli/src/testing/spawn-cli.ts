import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The command as a process of its own, for what only a process has: signals and pipes. */
export interface SpawnedCli {
  readonly child: ChildProcess;
  /** Resolves when stderr has said so. */
  says(text: string): Promise<void>;
  readonly ended: Promise<{ code: number | null; signal: string | null; stdout: string; stderr: string }>;
}

export const cliProgram: readonly string[] = [
  process.execPath,
  "--conditions=@lockstep/source",
  "--import",
  import.meta.resolve("tsx"),
  fileURLToPath(new URL("../start.ts", import.meta.url)),
];

export function spawned(
  program: string,
  argv: readonly string[],
  env: Record<string, string>,
  cwd?: string,
): SpawnedCli {
  const child = spawn(program, argv, {
    cwd,
    // biome-ignore lint/style/noProcessEnv: the child needs PATH; nothing else of ours shall reach it.
    env: { PATH: process.env.PATH ?? "", ...env },
    // Stdin stays open, as that of a person who does not type.
    stdio: ["pipe", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const listeners = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString("utf8");
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString("utf8");
    for (const listener of listeners) listener();
  });
  const ended = once(child, "close").then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
    stdout,
    stderr,
  }));
  return {
    child,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (stderr.includes(text)) resolve();
        };
        listeners.add(look);
        look();
        void ended.then(() => reject(new Error(`It ended before it said "${text}":\n${stderr}`)));
      }),
    ended,
  };
}
