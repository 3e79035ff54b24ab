import type { FlagValues } from "../command-line/flags.ts";
import type { globalFlags } from "../command-line/global-flags.ts";
import { usageError } from "../errors/cli-error.ts";
import type { Io, OutputStream } from "./io.ts";

export type OutputFormat = "text" | "json" | "jsonl";
export type Talk = "quiet" | "normal" | "verbose" | "debug";

/** The settings of every command: flags first, then the environment, then defaults. */
export interface CliConfig {
  readonly databaseUrl: string | null;
  /** The name of the schema as it was given; null: it was not. */
  readonly schema: string | null;
  readonly format: OutputFormat;
  readonly talk: Talk;
  readonly hasColor: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether lines may be redrawn on stderr. */
  readonly isRedrawn: boolean;
  readonly isYes: boolean;
  /** Whether a person can be asked. */
  readonly mayAsk: boolean;
  readonly timeoutMs: number | null;
}

/** Variables that hold secrets, which no flag takes: a command line can be read by others. */
export const secretVariables = {
  /** Who may come in at `serve`: name:role:token, with commas. */
  tokens: "LOCKSTEP_TOKENS",
  /** The secret that signs owner tokens. */
  tokenSecret: "LOCKSTEP_TOKEN_SECRET",
} as const;

type Globals = FlagValues<typeof globalFlags>;

export function readCliConfig(flags: Globals, { env, stdin, stdout, stderr }: Io): CliConfig {
  if (flags.json && flags.jsonl) throw usageError("Give --json or --jsonl, not both.");
  if (flags.quiet && (flags.verbose || flags.debug)) throw usageError("Give --quiet or --verbose, not both.");
  const isCi = isSet(env.CI) && env.CI !== "false";
  const isDumb = env.TERM === "dumb";
  const hasColor = (stream: OutputStream) => {
    if (flags.color === "always" || flags.color === "never") return flags.color === "always";
    if (isSet(env.NO_COLOR)) return false;
    if (isSet(env.FORCE_COLOR)) return env.FORCE_COLOR !== "0" && env.FORCE_COLOR !== "false";
    return stream.isTTY && !isDumb;
  };
  return {
    databaseUrl: flags["database-url"] ?? (isSet(env.DATABASE_URL) ? (env.DATABASE_URL ?? null) : null),
    schema: flags.schema ?? (isSet(env.LOCKSTEP_SCHEMA) ? (env.LOCKSTEP_SCHEMA ?? null) : null),
    format: flags.json ? "json" : flags.jsonl ? "jsonl" : "text",
    talk: flags.debug ? "debug" : flags.verbose ? "verbose" : flags.quiet ? "quiet" : "normal",
    hasColor: { stdout: hasColor(stdout), stderr: hasColor(stderr) },
    isRedrawn: stderr.isTTY && !isDumb && !isCi,
    isYes: flags.yes,
    mayAsk: !flags["no-input"] && !isCi && stdin.isTTY && stderr.isTTY,
    timeoutMs: flags.timeout ?? null,
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "";
}
