/** What the heartbeat thread runs: a file, or a text that has all it needs in it. */
export interface HeartbeatProgram {
  readonly program: URL | string;
  readonly isText: boolean;
  /** Flags of Node's with which it is started. */
  readonly execArgv: readonly string[];
}

/**
 * The file in the repository. The build replaces this module by one that holds its text (scripts/build/embed-heartbeat.ts), so that
 * the thread starts from within any bundle.
 */
export function heartbeatProgram(): HeartbeatProgram {
  return {
    program: new URL("./heartbeat-thread.js", import.meta.url),
    isText: false,
    // It imports another package, of which there is only the source here.
    execArgv: ["--conditions=@lockstep/source"],
  };
}
