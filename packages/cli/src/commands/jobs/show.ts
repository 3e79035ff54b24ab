import { defineCommand } from "../../command-line/command.ts";
import { knownJob } from "../../errors/known-job.ts";
import { jobLines } from "../../jobs/job-lines.ts";
import { exitCode } from "../../session/exit-code.ts";

export const showJobCommand = defineCommand({
  name: "jobs show",
  aliases: ["jobs get"],
  summary: "Shows a job: its stages, attempts, error, payload, and why it is not running.",
  examples: [
    ["lockstep jobs show 0192b4c8-7e1a-7000-8000-3f2a9c5ea71c", "everything about it"],
    ["lockstep jobs show $ID --json | jq .attempts", "its attempts, for a program"],
  ],
  usage: "ID",
  words: { least: 1, most: 1 },
  flags: {},
  async run({ reader, output, io, words: [id = ""] }) {
    const queue = await reader();
    const job = await knownJob(queue, id);
    const reasons = await queue.explain(id);
    const branches = await queue.branches(id);
    if (output.format !== "text") {
      await output.record({ ...job, reasons, branches }, () => []);
      return exitCode("done");
    }
    const pipeline = (await queue.pipelines()).find(({ name }) => name === job.pipeline) ?? null;
    await output.lines(jobLines({ job, pipeline, reasons, branches }, output, io.clock.now()));
    return exitCode("done");
  },
});
