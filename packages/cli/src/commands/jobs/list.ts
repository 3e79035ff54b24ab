import type { ListedJob, Reader } from "lockstep";
import { jobSorts } from "lockstep/internal";
import { type CommandContext, defineCommand } from "../../command-line/command.ts";
import { refuseUnknownNames } from "../../errors/known-pipeline.ts";
import { jobFilterFlags, jobFilterOf } from "../../jobs/job-filter-flags.ts";
import type { Output } from "../../output/output.ts";
import { paintStatus, statusText } from "../../output/status-text.ts";
import type { Column } from "../../output/table.ts";
import { timeText } from "../../output/time-text.ts";
import { exitCode } from "../../session/exit-code.ts";

const jobsPerPage = 200;

type Page = Awaited<ReturnType<Reader["jobs"]>>;

export const listJobsCommand = defineCommand({
  name: "jobs list",
  summary: "Lists jobs, newest first, by filter.",
  examples: [
    ["lockstep jobs list", "the newest fifty"],
    ["lockstep jobs list --status failed --since 24h", "what failed recently"],
    [
      "lockstep jobs list --filter 'pipeline:document-ocr payload.doc:contract.pdf'",
      "by what is in the payload",
    ],
    ["lockstep jobs list --status failed --jsonl --limit 10000 | jq -r .id", "many ids, for a program"],
  ],
  flags: {
    ...jobFilterFlags,
    sort: {
      type: "text",
      placeholder: "ORDER",
      choices: jobSorts,
      sentence:
        "-id (newest first), -finishedAt, scheduledFor, claimOrder or claimedAt, where the status has it.",
    },
    limit: { type: "number", least: 1, most: 100_000, sentence: "At most this many; default 50." },
    cursor: { type: "text", placeholder: "CURSOR", sentence: "Continue after the previous page." },
  },
  async run(context) {
    const { flags, output, io, reader, signal } = context;
    const filter = jobFilterOf(flags, io.clock.now());
    const queue = await reader();
    await refuseUnknownNames(queue, filter);
    const limit = flags.limit ?? 50;
    const jobs: ListedJob[] = [];
    let page: Page | null = null;
    let cursor = flags.cursor;
    do {
      page = await queue.jobs(filter, {
        sort: flags.sort,
        limit: Math.min(jobsPerPage, limit - jobs.length),
        cursor,
        preview: true,
      });
      jobs.push(...page.jobs);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined && jobs.length < limit && !page.isCutShort && !signal.aborted);
    const { next, previous, isCutShort, scannedTo } = page;
    await output.list(jobs, columns(output, io.clock.now()), {
      document: { page: { next, previous, hasMore: next !== null }, isCutShort, scannedTo },
      none: isCutShort ? "No job found so far." : "No job matches.",
    });
    tellMore(context, page, jobs.length);
    return exitCode("done");
  },
});

function tellMore({ output }: Pick<CommandContext, "output">, page: Page, shown: number): void {
  if (page.isCutShort) {
    const place = page.scannedTo === null ? "" : ` back to ${page.scannedTo.toISOString()}`;
    output.note(`No index covers this filter, so only a part was searched${place}; there may be more.`);
  }
  if (page.next === null) return;
  // A program has it in the document.
  if (output.isForPeople || page.isCutShort)
    output.note(`${shown} shown; continue with --cursor ${page.next}`);
}

function columns(output: Output, now: Date): Column<ListedJob>[] {
  const { paint, isForPeople } = output;
  return [
    {
      title: "STATUS",
      cell: ({ status }) => statusText(status, output),
      paint: (text, { status }) => paintStatus(text, status, paint),
    },
    { title: "JOB", cell: ({ id }) => id },
    { title: "STAGE", cell: ({ pipeline, stage }) => `${pipeline}/${stage}`, isElastic: true },
    {
      title: "ATTEMPT",
      cell: ({ attempt, losses }) => `${attempt}${losses > 0 ? ` ${losses} lost` : ""}`,
      align: "right",
    },
    {
      title: "PROGRESS",
      cell: ({ progress, status }) =>
        progress === null || status === "completed" ? "" : `${progress.percent} %`,
      align: "right",
    },
    {
      title: "WHEN",
      cell: ({ finishedAt, claimedAt, scheduledFor, addedAt }) =>
        timeText(finishedAt ?? claimedAt ?? scheduledFor ?? addedAt, now, isForPeople),
    },
    { title: "OWNER", cell: ({ owner }) => owner ?? "", isElastic: true },
    {
      title: "PAYLOAD",
      cell: ({ error, payloadPreview }) =>
        error === null ? (payloadPreview ?? "") : `${error.name}: ${error.message} · ${payloadPreview ?? ""}`,
      isElastic: true,
      paint: (text, { error }) => (error === null ? paint.dim(text) : paint.red(text)),
    },
  ];
}
