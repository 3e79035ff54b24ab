import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import type {} from "./bundle-examples.ts";

export interface ExampleRun {
  output: string;
  errors: string;
  code: number | null;
}

/** Runs an example in a process of its own, in a bundle if the run has made one; `onOutput` is told all that was printed so far. */
export async function runExample(
  name: string,
  options: {
    env?: Record<string, string>;
    folder?: string;
    onOutput?: (output: string, signal: (name: NodeJS.Signals) => void) => void;
  } = {},
): Promise<ExampleRun> {
  const bundled = inject("examples")?.[name];
  const source = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(
    process.execPath,
    bundled === undefined
      ? ["--conditions=@lockstep/source", "--import", import.meta.resolve("tsx"), source]
      : [bundled],
    {
      cwd: options.folder,
      // Nothing else of ours shall reach it, a DATABASE_URL above all.
      env: { PATH: process.env.PATH ?? "", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const run: ExampleRun = { output: "", errors: "", code: null };
  child.stderr.on("data", (chunk: Buffer) => {
    run.errors += chunk.toString("utf8");
  });
  child.stdout.on("data", (chunk: Buffer) => {
    run.output += chunk.toString("utf8");
    options.onOutput?.(run.output, (signal) => void child.kill(signal));
  });
  await once(child, "close");
  return { ...run, code: child.exitCode };
}
