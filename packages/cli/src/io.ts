import type { Clock } from "lockstep";

/** Where data or talk goes. */
export interface OutputStream {
  /** Resolves when the text has left, or never will because the reader has gone. */
  write(text: string): Promise<void>;
  readonly isTTY: boolean;
  /** The width of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
}

export interface InputStream extends AsyncIterable<Uint8Array | string> {
  readonly isTTY: boolean;
}

export type EndingSignal = "SIGINT" | "SIGTERM";

/** All that a command sees of the process it runs in; a test hands in another. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Named variables are read in cli-config.ts only. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Who runs the command, for the audit. */
  readonly userName: string;
  readonly clock: Clock;
  /** Aborts when nobody reads stdout any more. */
  readonly outputClosed: AbortSignal;
  /** Every SIGINT and SIGTERM, until the function that it returns is called. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
}
