import { type Command, defineCommand } from "../command-line/command.ts";
import { completeWords } from "../command-line/complete-words.ts";
import { exitCode } from "../session/exit-code.ts";

// Nobody who presses Tab wants to wait for a database that is away.
const patienceMs = 1_000;

/** Called by the shells' scripts: the words so far, the last of which is still being typed. */
export const completeCommand = (commands: () => readonly Command[]): Command =>
  defineCommand({
    name: "__complete",
    summary: "Completes a command line.",
    examples: [["lockstep __complete -- jobs li", "what the shell would offer"]],
    isHidden: true,
    words: { least: 0, most: Number.POSITIVE_INFINITY },
    flags: {},
    async run({ words, reader, output, signal, io }) {
      const over = new AbortController();
      signal.addEventListener("abort", () => over.abort());
      const offers = await Promise.race([
        completeWords(words, commands(), reader).catch(() => []),
        io.clock.sleep(patienceMs, over.signal).then((): string[] => []),
      ]);
      over.abort();
      await output.lines(offers);
      return exitCode("done");
    },
  });
