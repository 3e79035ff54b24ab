import type { ExitName } from "../session/exit-code.ts";

export interface CliErrorParts {
  readonly exit: ExitName;
  /** Stable, for scripts: "job.not_found". */
  readonly code: string;
  readonly message: string;
  /** The reason behind it, where the message does not say it. */
  readonly why?: string | undefined;
  /** What to do about it. */
  readonly advice?: string | undefined;
  readonly cause?: unknown;
}

/** Why a command cannot do what it was asked to do: what happened, why, and what to do. */
export class CliError extends Error {
  override readonly name = "CliError";
  readonly exit: ExitName;
  readonly code: string;
  readonly why: string | undefined;
  readonly advice: string | undefined;

  constructor({ exit, code, message, why, advice, cause }: CliErrorParts) {
    super(message, cause === undefined ? {} : { cause });
    this.exit = exit;
    this.code = code;
    this.why = why;
    this.advice = advice;
  }
}

/** The command line cannot be understood. */
export function usageError(message: string, advice?: string): CliError {
  return new CliError({ exit: "usage", code: "usage", message, advice });
}
