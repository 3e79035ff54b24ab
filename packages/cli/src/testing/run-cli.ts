import { systemClock } from "lockstep/internal";
import { main } from "../main.ts";
import type { EndingSignal, Io } from "../session/io.ts";

export interface RunOptions {
  readonly databaseUrl?: string;
  readonly stdin?: string | AsyncIterable<string>;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Whether a terminal of this width is there. */
  readonly columns?: number;
  readonly clock?: Io["clock"];
  /** Told all that stdout has so far; may send a signal, or close the pipe. */
  readonly onOutput?: (stdout: string, steer: Steer) => void;
  /** The same for stderr. */
  readonly onTalk?: (stderr: string, steer: Steer) => void;
}

export interface Steer {
  signal(name: EndingSignal): void;
  closeOutput(): void;
}

export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout read as one JSON document. */
  json<Value = unknown>(): Value;
  /** Stdout read as one JSON value a line. */
  jsonl<Value = unknown>(): Value[];
}

/** Runs a command line in this process, with a terminal or none, and keeps what it says. */
export async function runCli(argv: readonly string[], options: RunOptions = {}): Promise<CliRun> {
  let stdout = "";
  let stderr = "";
  const listeners = new Set<(signal: EndingSignal) => void>();
  const outputClosed = new AbortController();
  const steer: Steer = {
    signal: (name) => {
      for (const listener of listeners) listener(name);
    },
    closeOutput: () => outputClosed.abort(),
  };
  const isTTY = options.columns !== undefined;
  const stream = (take: (text: string) => void) => ({
    isTTY,
    columns: options.columns,
    async write(text: string) {
      take(text);
    },
  });
  const code = await main(argv, {
    stdin: Object.assign(chunksOf(options.stdin ?? ""), { isTTY }),
    envNote: null,
    stdout: stream((text) => {
      stdout += text;
      options.onOutput?.(stdout, steer);
    }),
    stderr: stream((text) => {
      stderr += text;
      options.onTalk?.(stderr, steer);
    }),
    env: {
      ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
      ...options.env,
    },
    cwd: options.cwd ?? "/nowhere",
    userName: "ada",
    clock: options.clock ?? systemClock,
    outputClosed: outputClosed.signal,
    parent: null,
    onSignal(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  return {
    code,
    stdout,
    stderr,
    json: () => JSON.parse(stdout),
    jsonl: () =>
      stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
  };
}

async function* chunksOf(text: string | AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  if (typeof text !== "string") yield* text;
  else if (text !== "") yield text;
}
