import type { Reader } from "lockstep";
import { jobStatuses } from "lockstep/internal";
import type { Command } from "./command.ts";
import { findCommand, nounOf, verbsOf } from "./find-command.ts";
import type { Completes, Flag, Flags } from "./flags.ts";
import { globalFlags } from "./global-flags.ts";

/** What can come next on a command line whose last word is still being typed. */
export async function completeWords(
  line: readonly string[],
  commands: readonly Command[],
  reader: () => Promise<Pick<Reader, "pipelines" | "schedules" | "budgets">>,
): Promise<string[]> {
  const typed = line.at(-1) ?? "";
  const before = line.slice(0, -1);
  const offers = await offersFor(typed, before, commands, reader);
  return [...new Set(offers)].filter((offer) => offer.startsWith(typed)).sort();
}

async function offersFor(
  typed: string,
  before: readonly string[],
  commands: readonly Command[],
  reader: () => Promise<Pick<Reader, "pipelines" | "schedules" | "budgets">>,
): Promise<string[]> {
  const command = commandOf(before, commands);
  const flags: Flags = { ...globalFlags, ...command?.flags };
  const flag = flagOf(before.at(-1), flags);
  if (flag !== null && flag.type !== "switch") {
    return flag.choices === undefined ? await namesOf(flag.completes, reader) : [...flag.choices];
  }
  if (typed.startsWith("-")) return Object.keys(flags).map((name) => `--${name}`);
  if (command !== null && !isNounOnly(before, commands)) return await namesOf(command.completes, reader);
  const [noun] = before.filter((word) => !word.startsWith("-"));
  if (noun !== undefined) return verbsOf(noun, commands);
  return commands.filter(({ isHidden }) => !isHidden).map(({ name }) => nounOf(name));
}

function commandOf(before: readonly string[], commands: readonly Command[]): Command | null {
  try {
    const found = findCommand(before, commands);
    return found.kind === "command" ? found.command : null;
  } catch {
    return null;
  }
}

/** "pipelines" is a command, but a verb may follow. */
function isNounOnly(before: readonly string[], commands: readonly Command[]): boolean {
  const words = before.filter((word) => !word.startsWith("-"));
  return words.length === 1 && verbsOf(words[0] ?? "", commands).length > 0;
}

function flagOf(word: string | undefined, flags: Flags): Flag | null {
  if (word === undefined || !word.startsWith("-")) return null;
  const name = word.replace(/^--?/, "");
  return flags[name] ?? Object.values(flags).find(({ short }) => short === name) ?? null;
}

async function namesOf(
  what: Completes | undefined,
  reader: () => Promise<Pick<Reader, "pipelines" | "schedules" | "budgets">>,
): Promise<string[]> {
  switch (what) {
    case "statuses":
      return [...jobStatuses];
    case "pipelines":
      return (await (await reader()).pipelines()).map(({ name }) => name);
    case "stages":
      return (await (await reader()).pipelines()).flatMap(({ name, stages }) =>
        stages.map((stage) => `${name}/${stage.name}`),
      );
    case "schedules":
      return (await (await reader()).schedules()).map(({ name }) => name);
    case "budgets":
      return (await (await reader()).budgets()).map(({ name }) => name);
    default:
      return [];
  }
}
