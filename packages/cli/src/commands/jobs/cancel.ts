import { defineCommand } from "../../command-line/command.ts";
import { bulkFlags, bulkJobs } from "../../jobs/bulk-jobs.ts";
import { steerJobs } from "../../jobs/steer-jobs.ts";

export const cancelJobsCommand = defineCommand({
  name: "jobs cancel",
  summary:
    "Cancels jobs: waiting ones at once, running ones when their handler stops or after a grace period.",
  examples: [
    ["lockstep jobs cancel 0192b4c8-7e1a-7000-8000-3f2a9c5ea71c", "one job"],
    [
      "lockstep jobs cancel --filter 'status:pending pipeline:document-ocr'",
      "all that match, after a confirmation",
    ],
    ["lockstep jobs cancel --filter owner:ada --dry-run", "only say how many jobs match"],
  ],
  usage: "ID… | --filter FILTER",
  words: { least: 0, most: 1_000 },
  flags: bulkFlags,
  async run(context) {
    const { words, flags, act } = context;
    if (words.length === 0 || flags.filter !== undefined) {
      return await bulkJobs(context, { action: "cancel", ids: words, flags });
    }
    const cancel = async (id: string) => ({
      id,
      answer: await act("jobs.cancel", (writes) => writes.cancel(id)),
    });
    return await steerJobs(context, words, cancel, {
      cancelled: { exit: "done", sentence: "It was waiting, and is now cancelled." },
      cancel_requested: { exit: "done", sentence: "It is running; its handler was told to stop." },
      already_finished: { exit: "conflict", sentence: "It has already ended." },
      not_found: { exit: "notFound", sentence: "There is no such job." },
    });
  },
});
