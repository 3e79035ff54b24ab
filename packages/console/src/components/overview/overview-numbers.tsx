import type { ReactNode } from "react";
import type { StageCount, StageWait, Worker } from "../../api/contract.ts";
import { type Range, ranges } from "../../api/pipelines-api.ts";
import { formatElapsed } from "../../format/duration.ts";
import { formatNumber, formatRate } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ratePerMinute, type SummedStep } from "../charts/history.ts";
import { Sparkline } from "../charts/sparkline.tsx";
import { reportsOf } from "../pipelines/funnel.ts";
import { UtilisationBar } from "../workers/utilisation-bar.tsx";
import { workerState } from "../workers/worker-state.ts";
import { NumberTile } from "./number-tile.tsx";
import { oldestWait, waitedMs } from "./oldest-wait.ts";

export interface OverviewNumbersProps {
  readonly stats: readonly StageCount[];
  readonly waits: readonly StageWait[];
  readonly workers: readonly Worker[];
  /** Null while the history is not known: its numbers are then not zero, they are not there. */
  readonly steps: readonly SummedStep[] | null;
  /** Nor will they be soon. */
  readonly hasFailed: boolean;
  readonly range: Range;
  readonly now: Date;
}

/** The six numbers one looks at first. */
export function OverviewNumbers(props: OverviewNumbersProps) {
  const { stats, waits, workers, steps, hasFailed, range, now } = props;
  const { stepMs } = ranges[range];
  const sum = (status: string) =>
    stats.filter((each) => each.status === status).reduce((total, { jobs }) => total + jobs, 0);
  const reports = workers.filter(({ isAlive }) => isAlive).flatMap(reportsOf);
  const busy = reports.reduce((total, report) => total + report.busy, 0);
  const processors = reports.reduce((total, { idle, error }) => total + idle + error, busy);
  const lost = workers.filter((worker) => workerState(worker, now) === "lost").length;
  const failedRate = steps === null ? 0 : rateOf(steps, "failed", stepMs);
  const oldest = oldestWait(waits);
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <NumberTile
        name={text.overview.pending}
        value={formatNumber(sum("pending"))}
        note={
          sum("retrying") > 0
            ? `+${formatNumber(sum("retrying"))} ${text.status.retrying.toLowerCase()}`
            : undefined
        }
        chart={spark(steps, ({ added }) => added, text.pipelines.added, "text-pending")}
      />
      <NumberTile
        name={text.overview.processing}
        value={formatNumber(sum("processing"))}
        note={processors > 0 ? text.overview.ofProcessors(processors) : undefined}
        chart={<UtilisationBar busy={busy} all={processors} />}
      />
      <NumberTile
        name={text.overview.completedPerMinute}
        value={
          steps === null ? (
            <NotKnown isLoading={!hasFailed} />
          ) : (
            formatRate(rateOf(steps, "completed", stepMs))
          )
        }
        note={text.overview.lastMinutes}
        chart={spark(steps, ({ completed }) => completed, text.overview.completedPerMinute, "text-completed")}
      />
      <NumberTile
        name={text.overview.failedPerMinute}
        value={steps === null ? <NotKnown isLoading={!hasFailed} /> : formatRate(failedRate)}
        note={text.overview.lastMinutes}
        {...(failedRate > 0 ? { colour: "text-failed" } : {})}
        chart={spark(steps, ({ failed }) => failed, text.overview.failedPerMinute, "text-failed")}
      />
      <NumberTile
        name={text.overview.oldestPending}
        value={oldest === null ? "–" : formatElapsed(waitedMs(oldest, now))}
        note={oldest === null ? text.overview.nothingWaits : oldest.stage}
        chart={spark(steps, ({ waitP95Ms }) => waitP95Ms ?? 0, text.overview.waitSeries, "text-scheduled")}
      />
      <NumberTile
        name={text.overview.workers}
        value={formatNumber(workers.length - lost)}
        note={
          lost > 0 ? (
            <span className="text-failed">{text.overview.lostWorkers(lost)}</span>
          ) : (
            text.overview.liveWorkers
          )
        }
      />
    </dl>
  );
}

function rateOf(steps: readonly SummedStep[], name: "completed" | "failed", stepMs: number): number {
  return ratePerMinute(
    steps.map((step) => step[name]),
    stepMs,
  );
}

function spark(
  steps: readonly SummedStep[] | null,
  value: (step: SummedStep) => number,
  label: string,
  colour: string,
): ReactNode {
  if (steps === null) return null;
  return (
    <Sparkline values={steps.map(value).slice(0, -1)} label={label} className={`h-6 w-full ${colour}`} />
  );
}

function NotKnown({ isLoading }: { readonly isLoading: boolean }) {
  return isLoading ? <Skeleton className="my-1 h-5 w-14" /> : "–";
}
