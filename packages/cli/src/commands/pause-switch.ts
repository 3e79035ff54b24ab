import type { Reader, RecordedWrites } from "lockstep";
import { type Command, defineCommand } from "../command-line/command.ts";
import { exitCode } from "../session/exit-code.ts";

/** Something that can be paused and resumed, as the command line names it. */
export interface Pausable {
  /** How it is called in lines for people. */
  readonly name: string;
  /** What --json prints of it. */
  readonly record: object;
  /** Pauses or resumes it; false if nothing had to change. */
  set(writes: RecordedWrites): Promise<boolean>;
}

export type PauseVerb = "pause" | "resume";

/** A command that pauses one of these things, or resumes it. */
export function pauseSwitch(
  things: {
    readonly plural: "stages" | "schedules";
    readonly usage: string;
    /** Refuses a word that names none. */
    find(word: string, reader: Reader): Promise<Pausable>;
  },
  verb: PauseVerb,
  { summary, examples }: Pick<Command, "summary" | "examples">,
): Command {
  return defineCommand({
    name: `${things.plural} ${verb}`,
    summary,
    examples,
    usage: things.usage,
    words: { least: 1, most: 1 },
    completes: things.plural,
    flags: {},
    async run({ act, reader, output, words: [word = ""] }) {
      const { name, record, set } = await things.find(word, await reader());
      const isChanged = await act(`${things.plural}.${verb}`, set);
      const [now, before] =
        verb === "pause" ? ["is paused", "was already paused"] : ["is resumed", "was not paused"];
      await output.record({ ...record, isChanged }, () => [`${name} ${isChanged ? now : before}.`]);
      return exitCode("done");
    },
  });
}
