import type { Paint } from "../output/paint.ts";
import { exitCodes } from "../session/exit-code.ts";
import type { Command } from "./command.ts";
import { nounOf } from "./find-command.ts";
import type { Flag, Flags } from "./flags.ts";
import { globalFlags } from "./global-flags.ts";

/** What `--help` shows of one command; it begins with examples, since those are what people look for. */
export function commandHelp(command: Command, { bold, dim }: Paint): string[] {
  const usage = ["lockstep", command.name, command.usage, "[flags]"].filter(Boolean).join(" ");
  const aliases = command.aliases ?? [];
  return [
    bold("Examples"),
    ...command.examples.flatMap(([line, what]) => [`  ${dim(`# ${what}`)}`, `  ${line}`]),
    "",
    bold("Usage"),
    `  ${usage}`,
    `  ${command.summary}`,
    ...(aliases.length > 0 ? [`  Also: ${aliases.map((alias) => `lockstep ${alias}`).join(", ")}`] : []),
    ...section(bold("Flags"), flagLines(command.flags)),
    ...section(bold("Flags of every command"), flagLines(globalFlags)),
  ];
}

/** What `lockstep --help` shows, or `lockstep jobs --help` with a noun. */
export function groupHelp(noun: string | null, commands: readonly Command[], { bold, dim }: Paint): string[] {
  const shown = commands.filter(
    ({ name, isHidden }) => !isHidden && (noun === null || nounOf(name) === noun),
  );
  const examples =
    noun === null
      ? topExamples
      : shown.flatMap(({ examples: [first] }) => (first === undefined ? [] : [first]));
  const prefix = noun === null ? "" : ` ${noun}`;
  const verb = noun === null ? "COMMAND" : "VERB";
  return [
    bold("Examples"),
    ...examples.flatMap(([line, what]) => [`  ${dim(`# ${what}`)}`, `  ${line}`]),
    "",
    bold("Usage"),
    `  lockstep${prefix} ${verb} [flags]`,
    ...section(
      bold("Commands"),
      aligned(shown.map(({ name, usage = "", summary }) => [`${name} ${usage}`.trim(), summary])),
    ),
    ...(noun === null
      ? [
          ...section(bold("Flags of every command"), flagLines(globalFlags)),
          ...section(
            bold("Exit codes"),
            aligned(Object.values(exitCodes).map(({ code, sentence }) => [String(code), sentence])),
          ),
        ]
      : []),
    "",
    `Run \`lockstep${prefix} ${verb} --help\` for examples and flags of a command.`,
  ];
}

const topExamples: Command["examples"] = [
  ["lockstep dev", "a database, a worker, the HTTP API and the console, with nothing but Node"],
  ["lockstep jobs list --status failed", "what failed, newest first"],
  ["lockstep jobs retry --filter 'status:failed since:24h'", "run the failed jobs of a day again"],
  ["lockstep stats --watch", "the queue in numbers, as it moves"],
];

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines];
}

function flagLines(flags: Flags): string[] {
  return aligned(Object.entries(flags).map(([name, flag]) => [flagName(name, flag), flag.sentence]));
}

export function flagName(name: string, { type, short, placeholder, many }: Flag): string {
  const value = type === "switch" ? "" : ` ${placeholder ?? type.toUpperCase()}`;
  return `${short === undefined ? "    " : `-${short}, `}--${name}${value}${many ? " …" : ""}`;
}

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.min(34, Math.max(0, ...rows.map(([left]) => left.length)));
  return rows.flatMap(([left, right]) =>
    left.length > width
      ? [`  ${left}`, `  ${" ".repeat(width)}  ${right}`]
      : [`  ${left.padEnd(width)}  ${right}`],
  );
}
