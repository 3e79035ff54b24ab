import type { Engine, EngineOptions, Reader, RecordedWrites } from "lockstep";
import type { Output } from "../output/output.ts";
import type { CliConfig } from "../session/cli-config.ts";
import type { Io } from "../session/io.ts";
import type { Completes, Flags, FlagValues } from "./flags.ts";

/** One thing that `lockstep` can do. */
export interface Command<Known extends Flags = Flags> {
  /** One word, or noun and verb: "stats", "jobs add". */
  readonly name: string;
  /** Other names; a noun alone ("pipelines") may stand for its list. */
  readonly aliases?: readonly string[];
  /** One sentence. */
  readonly summary: string;
  /** Command lines and what they do; help begins with them. */
  readonly examples: readonly (readonly [line: string, what: string])[];
  /** The words it takes, as help shows them: "PIPELINE [PAYLOAD]". */
  readonly usage?: string;
  /** How many words it takes; none by default. */
  readonly words?: { readonly least: number; readonly most: number };
  /** What the shell may offer for its words. */
  readonly completes?: Completes;
  readonly flags: Known;
  /** Left out of help: for programs, not for people. */
  readonly isHidden?: true;
  /** Drains or ends by itself on SIGINT and SIGTERM (`io.onSignal`); others are ended by `signal`. */
  readonly handlesSignals?: true;
  /** Says which variables it has from a file. Others do so with -v only: their answer is what counts. */
  readonly saysEnvironment?: true;
  /** Returns the exit code. Heavy modules are imported here, so that `--help` stays fast. */
  run(context: CommandContext<Known>): Promise<number>;
}

/** What a command is given. */
export interface CommandContext<Known extends Flags = Flags> {
  readonly words: readonly string[];
  readonly flags: FlagValues<Known>;
  readonly config: CliConfig;
  readonly output: Output;
  readonly io: Io;
  /** Aborts at the first SIGINT or SIGTERM, at --timeout, and when nobody reads stdout any more. */
  readonly signal: AbortSignal;
  /** The database URL; fails with exit code 3 if none is configured. */
  databaseUrl(): Promise<string>;
  /** The name of the schema. */
  schema(): Promise<string>;
  /** An engine on that schema of that database, made once and stopped when the command ends. */
  engine(options?: Omit<EngineOptions, "databaseUrl" | "schema">): Promise<Engine>;
  /** Reads of that engine, on connections of their own. */
  reader(): Promise<Reader>;
  /** Writes that are recorded as done by the user who runs the command: "jobs.cancel", "stages.pause". */
  act<Answer>(action: string, run: (writes: RecordedWrites) => Promise<Answer>): Promise<Answer>;
  /** Asks on a terminal; --yes answers yes, and where nobody can be asked the command is refused. */
  confirm(question: string): Promise<boolean>;
}

/** Gives `run` the types of its flags. */
export function defineCommand<const Known extends Flags>(command: Command<Known>): Command {
  return command as unknown as Command;
}
