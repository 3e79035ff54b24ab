import { Link } from "@tanstack/react-router";
import type { Attempt, Branch, Job, JobStatus } from "../../api/contract.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatClock } from "../../format/time.ts";
import { useNow } from "../../live/use-now.ts";
import { useSettings } from "../../settings/settings.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";

const colours: Record<Attempt["outcome"], string> = {
  done: "bg-completed",
  skipped: "border border-dashed border-edge",
  branched: "bg-scheduled",
  failed: "bg-failed hatched",
  timeout: "bg-failed hatched",
  lost: "bg-cancelled hatched",
  released: "bg-pending",
  snoozed: "bg-scheduled",
  cancelled: "bg-cancelled",
  processing: "bg-processing",
};

const branchColours: Record<JobStatus, string> = {
  scheduled: "bg-scheduled",
  pending: "bg-pending",
  processing: "bg-processing",
  retrying: "bg-retrying",
  completed: "bg-completed",
  failed: "bg-failed hatched",
  cancelled: "bg-cancelled",
};

/** Every attempt on one axis of time: what ran, what waited between, what was lost; below a stage, the branches that it began. */
export function AttemptChart({
  job,
  stages,
  branches,
}: {
  readonly job: Pick<Job, "addedAt" | "finishedAt" | "attempts" | "stage" | "wait" | "waits">;
  readonly stages: readonly string[];
  readonly branches: ReadonlyMap<string, readonly Branch[]>;
}) {
  const now = useNow();
  const { timeZone } = useSettings();
  const from = Date.parse(job.addedAt);
  const to = Math.max(from + 1, job.finishedAt === null ? now.getTime() : Date.parse(job.finishedAt));
  const place = (at: number) => `${Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100))}%`;
  const rows = stages.map((stage) => ({
    stage,
    tries: job.attempts.filter((attempt) => attempt.stage === stage),
    waits: waitsIn(job, stage),
    children: branches.get(stage) ?? [],
  }));
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => from + (to - from) * share);

  return (
    <div className="space-y-1 text-xs">
      {rows.map(({ stage, tries, waits, children }) => (
        <div key={stage} className="grid items-center gap-x-3 gap-y-1 sm:grid-cols-[minmax(5rem,9rem)_1fr]">
          <span className="truncate text-muted sm:text-end" title={stage}>
            {stage}
          </span>
          <ul className="relative h-6 rounded bg-well" aria-label={stage}>
            {waits.map(({ since, endedAt, word }) => {
              const [start, end] = [Date.parse(since), endedAt === null ? to : Date.parse(endedAt)];
              const sentence = text.waits.sentence(word, formatDuration(end - start));
              return (
                <li
                  key={since}
                  title={sentence}
                  className="absolute inset-y-2 min-w-1 rounded-full bg-scheduled"
                  style={{ insetInlineStart: place(start), width: `calc(${place(end)} - ${place(start)})` }}
                >
                  <span className="sr-only">{sentence}</span>
                </li>
              );
            })}
            {tries.map((attempt, index) => {
              const start = Date.parse(attempt.claimedAt);
              const end = attempt.endedAt === null ? to : Date.parse(attempt.endedAt);
              const sentence = text.job.attemptSentence(
                attempt.attempt,
                text.outcome[attempt.outcome],
                formatDuration(end - start),
              );
              return (
                <li
                  key={index}
                  title={sentence}
                  className={cn("absolute inset-y-1 min-w-1 rounded-sm", colours[attempt.outcome])}
                  style={{ insetInlineStart: place(start), width: `calc(${place(end)} - ${place(start)})` }}
                >
                  <span className="sr-only">{sentence}</span>
                </li>
              );
            })}
          </ul>
          {children.map(({ jobId, branch, status, beganAt, finishedAt }) => {
            const name = branch ?? text.job.onlyChild;
            const start = Date.parse(beganAt);
            const end = finishedAt === null ? to : Date.parse(finishedAt);
            const word = status === null ? text.job.goneBranch : text.status[status];
            const sentence = text.job.branchSentence(name, word, formatDuration(end - start));
            return (
              <div key={jobId} className="contents">
                <span className="truncate ps-3 text-muted sm:text-end" title={name}>
                  {name}
                </span>
                <div className="relative h-6 rounded bg-well">
                  <Link
                    to="/jobs/$id"
                    params={{ id: jobId }}
                    title={sentence}
                    aria-label={sentence}
                    className={cn(
                      // As large as a finger needs it, however short the branch was.
                      "absolute inset-y-0 min-w-6 rounded-sm border-y-4 border-transparent bg-clip-padding",
                      status === null ? "bg-cancelled" : branchColours[status],
                    )}
                    style={{
                      insetInlineStart: `min(${place(start)}, calc(100% - 1.5rem))`,
                      width: `calc(${place(end)} - ${place(start)})`,
                    }}
                  />
                </div>
              </div>
            );
          })}
        </div>
      ))}
      <div aria-hidden className="grid gap-x-3 text-2xs text-muted sm:grid-cols-[minmax(5rem,9rem)_1fr]">
        <span className="max-sm:hidden" />
        <span className="flex justify-between gap-2 overflow-hidden">
          {ticks.map((at, index) => (
            <span key={index} className={cn("whitespace-nowrap", index % 4 !== 0 && "hidden sm:inline")}>
              {index === 0 ? formatClock(new Date(at), timeZone, now) : `+${formatDuration(at - from)}`}
            </span>
          ))}
        </span>
      </div>
    </div>
  );
}

/** The waits of a job in one stage, with the one that it is in. */
function waitsIn({ stage, wait, waits }: Pick<Job, "stage" | "wait" | "waits">, wanted: string) {
  const past = waits
    .filter((each) => each.stage === wanted)
    .map(({ since, endedAt, outcome }) => ({
      since,
      endedAt: endedAt as string | null,
      word: text.waits.outcome[outcome] as string,
    }));
  if (wait === null || stage !== wanted) return past;
  const word = wait.kind === "wait" ? text.waits.waiting : text.waits.sleeping;
  return [...past, { since: wait.since, endedAt: null, word }];
}
