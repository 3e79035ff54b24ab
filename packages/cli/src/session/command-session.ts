import {
  createEngine,
  type Engine,
  type EngineOptions,
  type Logger,
  type Reader,
  type RecordedWrites,
} from "lockstep";
import type { CommandContext } from "../command-line/command.ts";
import type { Output } from "../output/output.ts";
import { ask } from "./ask.ts";
import type { CliConfig } from "./cli-config.ts";
import { findDatabase, findSchema } from "./find-database.ts";
import type { Io } from "./io.ts";

// A person at a terminal is alone and can wait.
const readTimeoutMs = 10_000;

export type SessionParts = Pick<CommandContext, "words" | "flags" | "config" | "output" | "io" | "signal">;

/** One run of a command: what it is given, and what must be closed after it. */
export class CommandSession implements CommandContext {
  readonly words: readonly string[];
  readonly flags: CommandContext["flags"];
  readonly config: CliConfig;
  readonly output: Output;
  readonly io: Io;
  readonly signal: AbortSignal;
  #engine: Promise<Engine> | null = null;
  #reader: Promise<Reader> | null = null;

  constructor(parts: SessionParts) {
    this.words = parts.words;
    this.flags = parts.flags;
    this.config = parts.config;
    this.output = parts.output;
    this.io = parts.io;
    this.signal = parts.signal;
  }

  // Fields rather than methods: commands take what they need out of their context.
  readonly databaseUrl = (): Promise<string> => findDatabase(this.config, this.io.cwd);

  readonly schema = (): Promise<string> => findSchema(this.config, this.io.cwd);

  readonly engine = (options: Omit<EngineOptions, "databaseUrl" | "schema"> = {}): Promise<Engine> => {
    this.#engine ??= Promise.all([this.databaseUrl(), this.schema()]).then(([databaseUrl, schema]) =>
      createEngine({
        workerName: "cli",
        // Calls return their errors; the log is for --debug.
        logger: this.config.talk === "debug" ? logTo(this.output) : null,
        ...options,
        databaseUrl,
        schema,
      }),
    );
    return this.#engine;
  };

  readonly reader = (): Promise<Reader> => {
    this.#reader ??= this.engine().then((engine) =>
      engine.reader({ connections: 1, statementTimeoutMs: readTimeoutMs }),
    );
    return this.#reader;
  };

  readonly act = async <Answer>(
    action: string,
    run: (writes: RecordedWrites) => Promise<Answer>,
  ): Promise<Answer> => {
    const engine = await this.engine();
    return (await engine.recorded({ user: this.io.userName, action }, run)).answer;
  };

  readonly confirm = (question: string): Promise<boolean> => ask(question, this.config, this.io, this.signal);

  async close(): Promise<void> {
    const engine = await this.#engine?.catch(() => null);
    await engine?.stop();
  }
}

function logTo(output: Output): Logger {
  const log = (level: string) => (_fields: object, message?: string) => output.detail(`${level}  ${message}`);
  return { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") };
}
