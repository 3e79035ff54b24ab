import { Link } from "@tanstack/react-router";
import { ChevronRight, TriangleAlert } from "lucide-react";
import { formatNumber } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { WaitIcon } from "../job/wait-mark.tsx";
import { Duration } from "../shared/relative-time.tsx";
import type { FunnelStage } from "./funnel.ts";

/** The funnel at a glance: what each stage let through, and what waits before it. */
export function FunnelCards({
  pipeline,
  stages,
}: {
  readonly pipeline: string;
  readonly stages: readonly FunnelStage[];
}) {
  const most = Math.max(1, ...stages.map(({ done }) => done));
  return (
    <ol className="flex flex-col gap-2 sm:flex-row sm:items-stretch sm:gap-0">
      {stages.map((stage, index) => (
        <li key={stage.name} className="flex min-w-0 items-center sm:flex-1">
          {index > 0 && (
            <ChevronRight size={16} aria-hidden className="mx-1 hidden shrink-0 text-muted sm:block" />
          )}
          <Link
            to="/jobs"
            search={{ filter: `pipeline:${pipeline} stage:${stage.name}` }}
            className={cn(
              "block min-w-0 flex-1 rounded-lg border bg-page px-3 py-2 hover:border-edge",
              stage.isBottleneck && "border-retrying",
            )}
          >
            <span className="flex items-center justify-between gap-2">
              <span className="flex min-w-0 items-center gap-1.5 font-medium">
                {stage.kind !== null && <WaitIcon kind={stage.kind} className="text-muted" />}
                <span className="truncate">{stage.name}</span>
              </span>
              {stage.isBottleneck && (
                <span className="flex shrink-0 items-center gap-1 text-xs text-retrying">
                  <TriangleAlert size={13} aria-hidden /> {text.pipelines.bottleneck}
                </span>
              )}
              {stage.pausedAt !== null && (
                <span className="shrink-0 text-xs text-paused">{text.status.paused}</span>
              )}
            </span>
            <span aria-hidden className="my-1.5 block h-1.5 overflow-hidden rounded-full bg-line">
              <span
                className="bar-fill block h-full rounded-full bg-completed transition-[width] duration-300"
                style={{ width: `${(stage.done / most) * 100}%` }}
              />
            </span>
            <span className="flex flex-wrap justify-between gap-x-3 text-xs text-muted">
              <span>
                <b className="font-semibold text-ink">{formatNumber(stage.done)}</b> {text.outcome.done}
              </span>
              <span>
                <b className={cn("font-semibold", waiting(stage) > 0 ? "text-ink" : "")}>
                  {formatNumber(waiting(stage))}
                </b>{" "}
                {stage.kind === null ? text.status.pending.toLowerCase() : text.waits.waiting}
                {stage.oldestPendingAt !== null && (
                  <>
                    {" · "}
                    <Duration from={stage.oldestPendingAt} />
                  </>
                )}
              </span>
              {stage.skipped > 0 && <span>{text.pipelines.skipped(formatNumber(stage.skipped))}</span>}
              {stage.branches.length > 0 && (
                <span title={stage.branches.join(", ")}>
                  {text.pipelines.branches(stage.branches.length)}
                </span>
              )}
              {stage.failed > 0 && (
                <span className="text-failed">
                  {formatNumber(stage.failed)} {text.status.failed.toLowerCase()}
                </span>
              )}
            </span>
          </Link>
        </li>
      ))}
    </ol>
  );
}

/** What stands before a stage, or waits in it. */
function waiting({ kind, pending, scheduled }: FunnelStage): number {
  return kind === null ? pending : scheduled;
}
