import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const repository = fileURLToPath(new URL("../../../", import.meta.url));

/** A Node process of its own, for stories about processes that die, freeze or run as somebody else. */
export interface ChildProgram {
  readonly pid: number;
  /** The next line it prints. Fails with all it said when it ends first. */
  nextLine(): Promise<string>;
  /** The next line, read as JSON. */
  nextValue<V = unknown>(): Promise<V>;
  /** All it has said on its error output so far. */
  readonly errors: string;
  kill(signal: NodeJS.Signals): void;
  /** How it ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>;
}

/**
 * Runs the text of a TypeScript-free ES module that may import the packages by name. It ends, at the
 * latest, with the test that started it.
 */
export function childProgram(
  code: string,
  options: { uid?: number; gid?: number; env?: Record<string, string> } = {},
): ChildProgram {
  const child = spawn(
    process.execPath,
    ["--conditions=@lockstep/source", "--import", "tsx", "--input-type=module", "--eval", code],
    {
      cwd: repository,
      // biome-ignore lint/style/noProcessEnv: the child needs PATH; nothing else of ours shall reach it.
      env: { PATH: process.env.PATH ?? "", ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    },
  );
  onTestFinished(() => void child.kill("SIGKILL"));
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString("utf8");
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = endOf(child).then((end) => ({ ...end, errors }));

  const nextLine = async () => {
    const { value, done } = await lines.next();
    if (!done) return value;
    const { code, signal } = await ended;
    throw new Error(`The child program ended (${signal ?? `code ${code}`}) and said:\n${errors}`);
  };
  return {
    pid: child.pid ?? 0,
    nextLine,
    nextValue: async () => JSON.parse(await nextLine()),
    get errors() {
      return errors;
    },
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  await once(child, "close");
  return { code: child.exitCode, signal: child.signalCode };
}
