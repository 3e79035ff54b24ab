import { defineCommand } from "../../command-line/command.ts";
import { bulkFlags, bulkJobs } from "../../jobs/bulk-jobs.ts";
import { steerJobs } from "../../jobs/steer-jobs.ts";

export const retryJobsCommand = defineCommand({
  name: "jobs retry",
  summary: "Runs failed or cancelled jobs again, at the stage where they ended or at an earlier one.",
  examples: [
    ["lockstep jobs retry 0192b4c8-7e1a-7000-8000-3f2a9c5ea71c", "one job, where it ended"],
    ["lockstep jobs retry $ID --from-stage website-analysis", "the same from its first stage"],
    [
      "lockstep jobs retry --filter 'status:failed since:24h'",
      "all that failed recently, after a confirmation",
    ],
  ],
  usage: "ID… | --filter FILTER",
  words: { least: 0, most: 1_000 },
  flags: {
    ...bulkFlags,
    "from-stage": {
      type: "text",
      placeholder: "STAGE",
      sentence: "Start at this stage: the one where the job ended, or an earlier one.",
    },
  },
  async run(context) {
    const { words, flags, act, reader } = context;
    const fromStage = flags["from-stage"];
    if (words.length === 0 || flags.filter !== undefined) {
      return await bulkJobs(context, { action: "retry", ids: words, flags, fromStage });
    }
    const retry = async (id: string) => {
      const answered = await act("jobs.retry", (writes) => writes.retry(id, { fromStage }));
      const job = answered.answer === "not_finished" ? await (await reader()).job(id) : null;
      return { id, ...answered, ...(job === null ? {} : { status: job.status }) };
    };
    return await steerJobs(context, words, retry, {
      applied: { exit: "done", sentence: "It runs again." },
      not_finished: {
        exit: "conflict",
        sentence: "Only failed and cancelled jobs are retried; this one is",
      },
      conflict: { exit: "conflict", sentence: "A job with the same dedup key is live:" },
      not_found: { exit: "notFound", sentence: "There is no such job." },
    });
  },
});
