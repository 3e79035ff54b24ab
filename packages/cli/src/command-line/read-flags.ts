import { parseArgs } from "node:util";
import { didYouMean } from "lockstep/internal";
import { usageError } from "../errors/cli-error.ts";
import type { Flag, Flags } from "./flags.ts";
import { readFlagValue } from "./read-flag-value.ts";

export interface ReadFlags {
  readonly values: Record<string, unknown>;
  /** The words that are no flags. */
  readonly words: string[];
}

/** Reads a command line by its flags. Refuses an unknown one, and a value that is missing or too much. */
export function readFlags(argv: readonly string[], flags: Flags, now: Date): ReadFlags {
  const { tokens } = parseArgs({
    args: [...argv],
    options: parseOptions(flags),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.type === "switch") values[name] = false;
    else if (flag.many) values[name] = [];
  }
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) throw unknownFlag(rawName, flags);
    const read = readToken(name, flag, { value, isInline: inlineValue === true }, now);
    if (flag.many) (values[name] as unknown[]).push(read);
    else values[name] = read;
  }
  return { values, words };
}

export function parseOptions(flags: Flags): Record<string, { type: "string" | "boolean"; short?: string }> {
  return Object.fromEntries(
    Object.entries(flags).map(([name, { type, short }]) => [
      name,
      { type: type === "switch" ? "boolean" : "string", ...(short === undefined ? {} : { short }) },
    ]),
  );
}

function readToken(
  name: string,
  flag: Flag,
  { value, isInline }: { value: string | undefined; isInline: boolean },
  now: Date,
): unknown {
  if (flag.type === "switch") {
    if (value !== undefined) throw usageError(`--${name} is a switch and takes no value.`);
    return true;
  }
  // "--limit --json" is a forgotten number, not a limit of "--json".
  const isFlag = !isInline && value?.startsWith("-") && value !== "-" && !flag.choices?.includes(value);
  if (value === undefined || isFlag) {
    throw usageError(`--${name} needs a value.`, `Give it as --${name}=${flag.placeholder ?? "VALUE"}.`);
  }
  return readFlagValue(name, flag, value, now);
}

function unknownFlag(rawName: string, flags: Flags) {
  const nearest = didYouMean(rawName.replace(/^-+/, ""), Object.keys(flags)).replace('"', '"--');
  return usageError(`There is no flag ${rawName}.${nearest}`, "Run the command with --help to list them.");
}
