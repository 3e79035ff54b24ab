import type { Clock } from "lockstep";

/** Where data or talk goes. */
export interface OutputStream {
  /** Resolves when the text has been written, or cannot be because the reader has gone. */
  write(text: string): Promise<void>;
  readonly isTTY: boolean;
  /** The width of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
}

export interface InputStream extends AsyncIterable<Uint8Array | string> {
  readonly isTTY: boolean;
  /** Whether keys come one by one, Ctrl-C among them; only a terminal can do this. */
  setRawMode?(isRaw: boolean): unknown;
}

export type EndingSignal = "SIGINT" | "SIGTERM";

/** The process that has started this one, if the two speak with each other. */
export interface ParentProcess {
  send(message: object): void;
  /** Every message, and null when the parent has gone. */
  onMessage(listener: (message: unknown) => void): void;
}

/** All that a command sees of its process; a test passes in another. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Named variables are read in cli-config.ts only. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was read of a file into the environment; null: nothing. */
  readonly envNote: string | null;
  readonly cwd: string;
  /** Who runs the command, for the audit. */
  readonly userName: string;
  readonly clock: Clock;
  /** Aborts when nobody reads stdout any more. */
  readonly outputClosed: AbortSignal;
  /** Null: started by a person or a script. */
  readonly parent: ParentProcess | null;
  /** Every SIGINT and SIGTERM, until the function that it returns is called. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
}
