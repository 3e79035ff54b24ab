import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Environment } from "@lockstep/app-kit/environment";

/** Whoever waits for a program to be done need not go on: this process was told to stop meanwhile. */
export class ToldToStopError extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("It was told to stop.");
    this.exitCode = exitCode;
  }
}

export interface Ended {
  readonly code: number;
  /** Whether this process was told to stop meanwhile. */
  readonly isTold: boolean;
}

/** Runs a program of Node until it has done its work. */
export async function finishProgram(args: readonly string[], place: ProgramPlace): Promise<void> {
  const { code, isTold } = await runProgram(args, place);
  if (isTold) throw new ToldToStopError(code);
  if (code !== 0) throw new Error(`${args.join(" ")} ended with exit code ${code}: see above.`);
}

export interface ProgramPlace {
  readonly folder: string;
  readonly env: Environment;
}

/** Runs a program of Node until it ends, and hands on the signals that this process gets. */
export async function runProgram(args: readonly string[], { folder, env }: ProgramPlace): Promise<Ended> {
  const child: ChildProcess = spawn(process.execPath, [...args], {
    cwd: folder,
    stdio: "inherit",
    // Out of the terminal's reach: its Ctrl-C would come here and be handed on as well, and the second one ends at once.
    detached: true,
    env,
  });
  let isTold = false;
  const handOn = (signal: NodeJS.Signals) => {
    isTold = true;
    child.kill(signal);
  };
  // Whoever started this process has gone.
  const onDisconnect = () => handOn("SIGTERM");
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const signal of signals) process.on(signal, handOn);
  process.on("disconnect", onDisconnect);
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  for (const name of signals) process.off(name, handOn);
  process.off("disconnect", onDisconnect);
  return { code: code ?? (signal === "SIGINT" ? 130 : 143), isTold };
}
