import { didYouMean } from "lockstep";
import { usageError } from "../cli-error.ts";
import { defineCommand } from "../command.ts";
import { completionScripts, type Shell } from "../completion-scripts.ts";
import { exitCode } from "../exit-code.ts";

const shells = Object.keys(completionScripts) as Shell[];

export const completionCommand = defineCommand({
  name: "completion",
  summary: "Prints what makes a shell complete commands, flags, pipelines and statuses.",
  examples: [
    ["lockstep completion bash >> ~/.bashrc", "in bash, from the next shell on"],
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
