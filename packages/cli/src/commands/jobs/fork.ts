import { defineCommand } from "../../command-line/command.ts";
import { exitCode } from "../../session/exit-code.ts";

export const forkJobCommand = defineCommand({
  name: "jobs fork",
  summary: "Runs a finished job again as a new job, from its first stage or from a chosen one.",
  examples: [
    ["lockstep jobs fork $ID", "all of it once more, with the same payload"],
    ["lockstep jobs fork $ID --from-stage write", "from a stage, with what the stages before it returned"],
  ],
  usage: "ID",
  words: { least: 1, most: 1 },
  flags: {
    "from-stage": {
      type: "text",
      placeholder: "STAGE",
      sentence: "Start at this stage: any up to the one where the job ended.",
    },
  },
  async run({ words, flags, act, output }) {
    const [forkedFrom = ""] = words;
    const forked = await act("jobs.fork", (writes) =>
      writes.fork(forkedFrom, { fromStage: flags["from-stage"] }),
    );
    const sentence =
      forked.answer === "forked"
        ? `Job ${forked.id} runs it again.`
        : forked.answer === "not_found"
          ? "There is no such job."
          : "Only finished jobs can be forked; this one is live.";
    await output.record({ ...forked, forkedFrom }, () => [sentence]);
    if (forked.answer === "forked") return exitCode("done");
    return exitCode(forked.answer === "not_found" ? "notFound" : "conflict");
  },
});
