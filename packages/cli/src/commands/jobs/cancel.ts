import { bulkFlags, bulkJobs } from "../../bulk-jobs.ts";
import { defineCommand } from "../../command.ts";
import { steerJobs } from "../../steer-jobs.ts";

export const cancelJobsCommand = defineCommand({
  name: "jobs cancel",
  summary: "Cancels jobs: waiting ones at once, running ones when their handler stops, or after a grace.",
  examples: [
    ["lockstep jobs cancel 0192b4c8-7e1a-7000-8000-3f2a9c5ea71c", "one job"],
    [
      "lockstep jobs cancel --filter 'status:pending pipeline:document-ocr'",
      "all that match, after a question",
    ],
    ["lockstep jobs cancel --filter owner:ada --dry-run", "only say how many that would be"],
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
      cancelled: { exit: "done", sentence: "It waited, and is cancelled." },
      cancel_requested: { exit: "done", sentence: "It runs; its handler was told to stop." },
      already_finished: { exit: "conflict", sentence: "It has ended already." },
      not_found: { exit: "notFound", sentence: "There is no such job." },
    });
  },
});
