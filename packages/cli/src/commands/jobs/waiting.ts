import type { WaitingJob } from "lockstep";
import { defineCommand } from "../../command-line/command.ts";
import type { Output } from "../../output/output.ts";
import type { Column } from "../../output/table.ts";
import { timeText } from "../../output/time-text.ts";
import { exitCode } from "../../session/exit-code.ts";

const jobsPerCall = 1_000;

export const waitingJobsCommand = defineCommand({
  name: "jobs waiting",
  summary: "Lists the jobs that wait for a signal, those that time out first at the top.",
  examples: [
    ["lockstep jobs waiting", "all that wait for somebody"],
    ["lockstep jobs waiting --pipeline order --wait approval", "those that wait for an approval"],
    ["lockstep jobs waiting --jsonl | jq -r .id", "their ids, for a program"],
  ],
  flags: {
    pipeline: { type: "text", placeholder: "NAME", completes: "pipelines", sentence: "Only this pipeline." },
    wait: { type: "text", placeholder: "WAIT", sentence: "Only this wait." },
    owner: { type: "text", placeholder: "OWNER", sentence: "Only jobs of this owner." },
    limit: { type: "number", least: 1, most: 100_000, sentence: "At most this many; default 50." },
    cursor: { type: "text", placeholder: "CURSOR", sentence: "Continue after the previous page." },
  },
  async run({ flags, output, io, reader, signal }) {
    const { pipeline, owner, wait, limit = 50 } = flags;
    const queue = await reader();
    const jobs: WaitingJob[] = [];
    let after = flags.cursor;
    let hasMore = true;
    while (hasMore && jobs.length < limit && !signal.aborted) {
      const wanted = Math.min(jobsPerCall - 1, limit - jobs.length);
      // One more tells whether there are more.
      const found = await queue.waitingJobs({ pipeline, owner, signal: wait, after, limit: wanted + 1 });
      jobs.push(...found.slice(0, wanted));
      hasMore = found.length > wanted;
      after = jobs.at(-1)?.place;
    }
    const next = hasMore ? (after ?? null) : null;
    await output.list(jobs, columns(output, io.clock.now()), {
      document: { page: { next, hasMore: next !== null } },
      none: "No job waits for a signal.",
    });
    if (next !== null && output.isForPeople) output.note(`${jobs.length} shown; go on with --cursor ${next}`);
    return exitCode("done");
  },
});

function columns({ paint, isForPeople }: Output, now: Date): Column<WaitingJob>[] {
  return [
    { title: "WAIT", cell: ({ pipeline, wait }) => `${pipeline}/${wait.signal}`, isElastic: true },
    { title: "JOB", cell: ({ id }) => id },
    { title: "SINCE", cell: ({ wait }) => timeText(wait.since, now, isForPeople) },
    {
      title: "UNTIL",
      cell: ({ wait }) => (wait.until === null ? "-" : timeText(wait.until, now, isForPeople)),
    },
    { title: "OWNER", cell: ({ owner }) => owner ?? "", isElastic: true },
    { title: "PAYLOAD", cell: ({ payloadPreview }) => payloadPreview, isElastic: true, paint: paint.dim },
  ];
}
