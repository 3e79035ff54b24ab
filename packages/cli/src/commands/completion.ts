import { didYouMean } from "lockstep/internal";
import { defineCommand } from "../command-line/command.ts";
import { completionScripts, type Shell } from "../command-line/completion-scripts.ts";
import { usageError } from "../errors/cli-error.ts";
import { exitCode } from "../session/exit-code.ts";

const shells = Object.keys(completionScripts) as Shell[];

export const completionCommand = defineCommand({
  name: "completion",
  summary: "Prints a script that lets a shell complete commands, flags, pipelines and statuses.",
  examples: [
    ["lockstep completion bash >> ~/.bashrc", "in bash, for every new shell"],
    ["lockstep completion zsh >> ~/.zshrc", "in zsh"],
    ["lockstep completion fish >> ~/.config/fish/config.fish", "in fish"],
  ],
  usage: "bash|zsh|fish",
  words: { least: 1, most: 1 },
  flags: {},
  async run({ output, words: [shell = ""] }) {
    const script = completionScripts[shell as Shell];
    if (script === undefined) {
      throw usageError(`There is no completion for "${shell}".${didYouMean(shell, shells)}`);
    }
    await output.lines([script]);
    return exitCode("done");
  },
});
