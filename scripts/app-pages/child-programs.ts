import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

interface ChildProgram {
  readonly app: string;
  readonly program: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  hear(text: string): void;
}

const stopWithinMs = 10_000;

/** Programs of the apps, which run until they end or are stopped together. */
export class ChildPrograms {
  readonly #children = new Set<ChildProcess>();

  /** Resolves to its exit code. */
  run({ app, program, env, hear }: ChildProgram): Promise<number | null> {
    const child = spawn(
      process.execPath,
      ["--conditions=@lockstep/source", "--import", import.meta.resolve("tsx"), ...program],
      {
        cwd: fileURLToPath(new URL(`../../apps/${app}/`, import.meta.url)),
        env,
        stdio: ["ignore", "pipe", "inherit", "ipc"],
        // Ctrl-C in a terminal goes to a whole group, and this one ends when `lockstep dev` has.
        detached: true,
      },
    );
    this.#children.add(child);
    child.stdout?.setEncoding("utf8").on("data", hear);
    return new Promise((resolve) => {
      child.once("exit", (code) => {
        this.#children.delete(child);
        resolve(code);
      });
    });
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#children].map(stopChild));
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
  await ended;
  clearTimeout(late);
}
