import type { Attempt, Branch, ErrorCause, Job, PipelineInfo, Reason } from "lockstep";
import { durationText } from "../output/duration-text.ts";
import type { Output } from "../output/output.ts";
import { barOf } from "../output/progress-bar.ts";
import { paintStatus, statusText } from "../output/status-text.ts";
import { timeText } from "../output/time-text.ts";
import { logLine } from "./attempt-log-lines.ts";

export interface ShownJob {
  readonly job: Job;
  /** Null where the database no longer knows it. */
  readonly pipeline: PipelineInfo | null;
  readonly reasons: readonly Reason[];
  readonly branches: readonly Branch[];
}

/** A job with all that people ask about: where it stands, what was tried, and why it is not running. */
export function jobLines(
  { job, pipeline, reasons, branches }: ShownJob,
  output: Output,
  now: Date,
): string[] {
  const { bold, dim } = output.paint;
  const time = (at: Date | null) => timeText(at, now, output.isForPeople);
  const facts: [string, string | null][] = [
    ["added", time(job.addedAt)],
    ["scheduled for", job.scheduledFor === null ? null : time(job.scheduledFor)],
    ["claimed", job.claimedAt === null ? null : `${time(job.claimedAt)} by ${job.workerId}`],
    ["cancel requested", job.cancelRequestedAt === null ? null : time(job.cancelRequestedAt)],
    ["finished", job.finishedAt === null ? null : time(job.finishedAt)],
    ["priority", String(job.priority)],
    ["owner", job.owner],
    ["dedup key", job.dedupKey],
    ["forked from", job.forkedFrom],
    [
      "child of",
      job.parentId === null ? null : `${job.parentId}${job.branch === null ? "" : `, as ${job.branch}`}`,
    ],
    ["tags", job.tags.length === 0 ? null : job.tags.join(", ")],
    ["progress", progressText(job, output.isForPeople)],
  ];
  return [
    `${paintStatus(statusText(job.status, output), job.status, output.paint)}  ${bold(`${job.pipeline}/${job.stage}`)}  ${job.id}`,
    ...facts.flatMap(([name, value]) =>
      value === null ? [] : [`  ${dim(name.padEnd(13))}  ${output.safe(value)}`],
    ),
    "",
    ...stageLines(job, pipeline, branches, output),
    ...(job.attempts.length === 0 ? [] : ["", ...attemptTable(job.attempts, output, now)]),
    ...lastLogLines(job, output),
    ...(job.error === null ? [] : ["", ...errorLines(job.error, output)]),
    ...(reasons.length === 0 || job.finishedAt !== null
      ? []
      : [
          "",
          dim("why it is not running"),
          ...reasons.map(({ explanation }) => `  ${output.safe(explanation)}`),
        ]),
    "",
    ...jsonLines("payload", job.payload, output),
    ...(job.status === "completed" ? jsonLines("result", job.result, output) : []),
  ];
}

function progressText({ progress, status }: Job, isForPeople: boolean): string | null {
  if (progress === null || status === "completed") return null;
  const bar = isForPeople ? `${barOf(progress.percent / 100)} ` : "";
  return `${bar}${progress.percent} %${progress.note === null ? "" : ` ${progress.note}`}`;
}

/** Each stage of the pipeline with what became of it. */
function stageLines(
  job: Job,
  pipeline: PipelineInfo | null,
  branches: readonly Branch[],
  output: Output,
): string[] {
  const names = pipeline?.stages.map(({ name }) => name) ?? [];
  if (!names.includes(job.stage)) names.push(job.stage);
  const at = names.indexOf(job.stage);
  const { dim } = output.paint;
  return names.flatMap((name, place) => {
    const tries = job.attempts.filter(({ stage }) => stage === name);
    const ranMs = tries.reduce((sum, { claimedAt, endedAt }) => sum + spanOf(claimedAt, endedAt), 0);
    const isDone = place < at || (place === at && job.status === "completed");
    const isSkipped = isDone && tries.at(-1)?.outcome === "skipped";
    const state = isSkipped ? null : isDone ? "completed" : place === at ? job.status : null;
    const bare = isSkipped ? "skipped" : job.status === "completed" ? "left out" : "waits";
    const word = state === null ? (output.isForPeople ? `· ${bare}` : bare) : statusText(state, output);
    const painted = state === null ? dim(word) : paintStatus(word, state, output.paint);
    const spent =
      tries.length === 0
        ? ""
        : `  ${durationText(ranMs)}${tries.length > 1 ? `, ${tries.length} tries` : ""}`;
    return [`  ${painted}  ${name}${spent}`, ...branchLines(branches, name, output)];
  });
}

/** Those that the stage began last. */
function branchLines(branches: readonly Branch[], stage: string, output: Output): string[] {
  const ofStage = branches.filter((branch) => branch.stage === stage);
  const batchId = ofStage.at(-1)?.batchId;
  return ofStage.flatMap(({ batchId: begunIn, branch, jobId, status }) => {
    if (begunIn !== batchId) return [];
    const word =
      status === null
        ? output.paint.dim("no more there")
        : paintStatus(statusText(status, output), status, output.paint);
    return [`      ${word}  ${branch ?? "child"}  ${output.paint.dim(jobId)}`];
  });
}

function attemptTable(attempts: readonly Attempt[], output: Output, now: Date): string[] {
  return output.table(attempts, [
    { title: "STAGE", cell: ({ stage }) => stage },
    { title: "ATTEMPT", cell: ({ attempt }) => String(attempt), align: "right" },
    { title: "OUTCOME", cell: ({ outcome }) => outcome },
    { title: "BEGAN", cell: ({ claimedAt }) => timeText(claimedAt, now, output.isForPeople) },
    {
      title: "TOOK",
      cell: ({ claimedAt, endedAt }) => (endedAt === null ? "-" : durationText(spanOf(claimedAt, endedAt))),
      align: "right",
    },
    { title: "WORKER", cell: ({ workerId }) => (output.isForPeople ? workerId.slice(-12) : workerId) },
    {
      title: "ERROR",
      cell: ({ error }) => (error === undefined ? "" : `${error.name}: ${error.message}`),
      isElastic: true,
      paint: output.paint.red,
    },
  ]);
}

/** What the last attempt logged, also while it runs. */
function lastLogLines({ attempts }: Job, output: Output): string[] {
  const log = attempts.at(-1)?.log ?? [];
  if (log.length === 0) return [];
  return ["", output.paint.dim("log"), ...log.map((line) => `  ${logLine(line, output)}`)];
}

/** An error with its frames, and below it whatever caused it, each with its own. */
function errorLines(error: ErrorCause, output: Output, title = ""): string[] {
  const { paint, safe } = output;
  const { name, message, stack = "", cause, hasMoreCauses, errors = [], moreErrors = 0 } = error;
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return [
    `${title}${paint.red(safe(name))}: ${safe(message)}`,
    ...frames.map((frame) => paint.dim(`  ${safe(frame.trim())}`)),
    ...(cause === undefined ? [] : errorLines(cause, output, "caused by: ")),
    ...(hasMoreCauses ? ["what caused it is not kept"] : []),
    ...errors.flatMap((one) => errorLines(one, output, "one of its errors: ")),
    ...(moreErrors > 0
      ? [`${moreErrors} more of its errors ${moreErrors === 1 ? "is" : "are"} not kept`]
      : []),
  ];
}

function jsonLines(title: string, value: unknown, output: Output): string[] {
  const lines = (JSON.stringify(value, null, 2) ?? "undefined").split("\n");
  return [output.paint.dim(title), ...lines.map((line) => `  ${output.safe(line)}`)];
}

function spanOf(from: Date, to: Date | null): number {
  return to === null ? 0 : Math.max(0, to.getTime() - from.getTime());
}
