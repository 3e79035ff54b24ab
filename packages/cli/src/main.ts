import { cliVersion } from "./cli-version.ts";
import type { Command } from "./command-line/command.ts";
import { findCommand } from "./command-line/find-command.ts";
import type { FlagValues } from "./command-line/flags.ts";
import { globalFlags } from "./command-line/global-flags.ts";
import { commandHelp, groupHelp } from "./command-line/help.ts";
import { readFlags } from "./command-line/read-flags.ts";
import { commands } from "./commands.ts";
import { usageError } from "./errors/cli-error.ts";
import { asCliError, reportError } from "./errors/error-report.ts";
import { Output } from "./output/output.ts";
import { type CliConfig, readCliConfig } from "./session/cli-config.ts";
import { CommandSession } from "./session/command-session.ts";
import { exitCode } from "./session/exit-code.ts";
import { Interruption } from "./session/interruption.ts";
import type { Io } from "./session/io.ts";

/** How long a command may take to finish after it was interrupted. */
const lastWordsMs = 1_000;

/** Runs a command line, without the words `node lockstep`, and comes back with its exit code. */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  let config = configBeforeFlags(argv, io);
  try {
    const found = findCommand(argv[0] === "help" ? [...argv.slice(1), "--help"] : argv, commands);
    const known = found.kind === "command" ? found.command.flags : {};
    const { values, words } = readFlags(found.argv, { ...globalFlags, ...known }, io.clock.now());
    const globals = values as FlagValues<typeof globalFlags>;
    config = readCliConfig(globals, io);
    const output = new Output(io, config);
    if (globals.version) {
      await output.record({ version: cliVersion() }, () => [cliVersion()]);
      return exitCode("done");
    }
    if (found.kind === "group") {
      await output.lines(groupHelp(found.noun, commands, output.paint));
      // A noun alone does nothing, and scripts should notice.
      return exitCode(found.noun === null || globals.help ? "done" : "usage");
    }
    if (globals.help) {
      await output.lines(commandHelp(found.command, output.paint));
      return exitCode("done");
    }
    checkWords(found.command, words);
    if (io.envNote !== null) {
      if (found.command.saysEnvironment) output.note(io.envNote);
      else output.detail(io.envNote);
    }
    return await runCommand(found.command, {
      words,
      flags: values as CommandSession["flags"],
      config,
      output,
      io,
    });
  } catch (thrown) {
    return fail(thrown, new Output(io, config), config);
  }
}

async function runCommand(
  command: Command,
  parts: Omit<ConstructorParameters<typeof CommandSession>[0], "signal">,
): Promise<number> {
  const { io, config, output } = parts;
  const interruption = new Interruption(io, {
    timeoutMs: config.timeoutMs,
    leavesSignals: command.handlesSignals === true,
  });
  const session = new CommandSession({ ...parts, signal: interruption.signal });
  const running = command.run(session);
  const interrupted = interruption.came.then(async (exit) => {
    const said = new AbortController();
    const lastWords = running.catch(() => {}).finally(() => said.abort());
    await Promise.race([lastWords, io.clock.sleep(lastWordsMs, said.signal)]);
    return exit;
  });
  try {
    const ended = await Promise.race([running.catch(unless(interruption.signal)), interrupted]);
    const end = interruption.signal.aborted ? await interrupted : ended;
    if (typeof end === "number") return end;
    if (end === "timedOut") output.error([`Gave up after --timeout (${config.timeoutMs} ms).`]);
    return exitCode(end);
  } finally {
    interruption.stop();
    await session.close();
  }
}

/** An error that comes from the interruption itself is not reported. */
function unless(signal: AbortSignal): (error: unknown) => number {
  return (error) => {
    if (signal.aborted) return exitCode("failed");
    throw error;
  };
}

function fail(thrown: unknown, output: Output, config: Pick<CliConfig, "talk">): number {
  const error = asCliError(thrown);
  reportError(error, output, { isDebug: config.talk === "debug" });
  return exitCode(error.exit);
}

function checkWords(
  { name, usage, words: { least, most } = { least: 0, most: 0 } }: Command,
  words: readonly string[],
): void {
  if (words.length >= least && words.length <= most) return;
  const line = `lockstep ${name}${usage === undefined ? "" : ` ${usage}`}`;
  const advice = `Usage: ${line}`;
  if (words.length < least) throw usageError(`\`lockstep ${name}\` is missing an argument.`, advice);
  throw usageError(`\`lockstep ${name}\` does not take "${words[most]}".`, advice);
}

/** How an error is shown when the flags themselves cannot be read. */
function configBeforeFlags(argv: readonly string[], io: Io): CliConfig {
  const none = readFlags([], globalFlags, io.clock.now()).values as FlagValues<typeof globalFlags>;
  const format = argv.includes("--json") ? "json" : argv.includes("--jsonl") ? "jsonl" : "text";
  return { ...readCliConfig(none, io), format };
}
