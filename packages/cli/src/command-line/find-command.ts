import { parseArgs } from "node:util";
import { didYouMean } from "lockstep/internal";
import { usageError } from "../errors/cli-error.ts";
import type { Command } from "./command.ts";
import { globalFlags } from "./global-flags.ts";
import { parseOptions } from "./read-flags.ts";

export type Found =
  | { readonly kind: "command"; readonly command: Command; readonly argv: readonly string[] }
  /** Nothing, or a noun that needs a verb. */
  | { readonly kind: "group"; readonly noun: string | null; readonly argv: readonly string[] };

/** Which command a command line means, and what is left of the line without the command's own words. */
export function findCommand(argv: readonly string[], commands: readonly Command[]): Found {
  const leading = leadingWords(argv);
  const [first, second] = leading;
  if (first === undefined) return { kind: "group", noun: null, argv };
  const without = (count: number) => {
    const taken = new Set(leading.slice(0, count).map(({ index }) => index));
    return argv.filter((_, index) => !taken.has(index));
  };
  const named = (name: string) =>
    commands.find((command) => command.name === name || command.aliases?.includes(name));
  const pair = second === undefined ? undefined : named(`${first.word} ${second.word}`);
  if (pair !== undefined) return { kind: "command", command: pair, argv: without(2) };
  const verbs = verbsOf(first.word, commands);
  if (verbs.length > 0 && second !== undefined) {
    throw usageError(
      `There is no command "${first.word} ${second.word}".${didYouMean(second.word, verbs)}`,
      `Run \`lockstep ${first.word} --help\` to list them.`,
    );
  }
  const single = named(first.word);
  if (single !== undefined) return { kind: "command", command: single, argv: without(1) };
  if (verbs.length > 0) return { kind: "group", noun: first.word, argv: without(1) };
  const nouns = new Set(commands.filter(({ isHidden }) => !isHidden).map(({ name }) => nounOf(name)));
  throw usageError(
    `There is no command "${first.word}".${didYouMean(first.word, nouns)}`,
    "Run `lockstep --help` to list them.",
  );
}

export function nounOf(name: string): string {
  return name.split(" ")[0] ?? name;
}

export function verbsOf(noun: string, commands: readonly Command[]): string[] {
  return commands
    .flatMap(({ name, aliases = [] }) => [name, ...aliases])
    .map((name) => name.split(" "))
    .filter(([first, verb]) => first === noun && verb !== undefined)
    .map(([, verb = ""]) => verb);
}

/** The words before the first flag that only a command could know. */
function leadingWords(argv: readonly string[]): { word: string; index: number }[] {
  const { tokens } = parseArgs({
    args: [...argv],
    options: parseOptions(globalFlags),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: { word: string; index: number }[] = [];
  for (const token of tokens) {
    if (token.kind === "option-terminator") break;
    if (token.kind === "option" && !Object.hasOwn(globalFlags, token.name)) break;
    if (token.kind === "positional") words.push({ word: token.value, index: token.index });
  }
  return words;
}
