// biome-ignore-all lint/suspicious/noConsole: what it prints is what people who ask for help want to read.
import { parseArgs } from "node:util";

export interface Flag {
  readonly type: "string" | "boolean";
  /** What it is for, in a few words. */
  readonly about: string;
}

type Values<Flags extends Record<string, Flag>> = {
  readonly [Name in keyof Flags]?: Flags[Name]["type"] extends "boolean" ? boolean : string;
};

/** The flags that a command for developers was given. Asked for help, or given others, it says what there are and ends the process. */
export function readFlags<const Flags extends Record<string, Flag>>(
  command: string,
  flags: Flags,
): Values<Flags> {
  const usage = [
    `${command} [flags]`,
    ...Object.entries(flags).map(([name, { type, about }]) => {
      const word = type === "string" ? `--${name} …` : `--${name}`;
      return `  ${word.padEnd(18)}${about}`;
    }),
  ].join("\n");
  const options = Object.fromEntries(Object.entries(flags).map(([name, { type }]) => [name, { type }]));
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: "boolean" } } });
    const { help, ...given } = values;
    if (!help) return given as Values<Flags>;
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}
