import { TriangleAlert } from "lucide-react";
import { formatNumber } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { WaitMark } from "../job/wait-mark.tsx";
import { Duration, RelativeTime } from "../shared/relative-time.tsx";
import { StatusBadge } from "../shared/status-badge.tsx";
import type { FunnelStage } from "./funnel.ts";

/** What is special about a stage just now. */
export function StageMarks({ stage }: { readonly stage: FunnelStage }) {
  return (
    <>
      {stage.isBottleneck && (
        <span className="inline-flex items-center gap-1 text-xs text-retrying">
          <TriangleAlert size={13} aria-hidden /> {text.pipelines.bottleneck}
        </span>
      )}
      {stage.pausedAt !== null && (
        <span className="inline-flex items-center gap-1.5 text-xs text-muted">
          <StatusBadge status="paused" /> <RelativeTime at={stage.pausedAt} />
        </span>
      )}
      {stage.kind !== null && <WaitMark kind={stage.kind} />}
      {stage.branches.length > 0 && (
        <span className="text-xs text-muted" title={stage.branches.join(", ")}>
          {text.pipelines.branches(stage.branches.length)}
        </span>
      )}
      {stage.batchSize !== null && (
        <span className="text-xs text-muted">{text.pipelines.batchOf(stage.batchSize)}</span>
      )}
      {stage.skipped > 0 && (
        <span className="text-xs text-muted">{text.pipelines.skipped(formatNumber(stage.skipped))}</span>
      )}
      {stage.workers === 0 && stage.kind === null && stage.pausedAt === null && (
        <span className="text-xs text-failed">{text.pipelines.noWorker}</span>
      )}
    </>
  );
}

/** For how long the longest waiting job of a stage has waited. */
export function Waiting({ since }: { readonly since: string | null }) {
  return since === null ? <span className="text-muted">–</span> : <Duration from={since} />;
}

/** How many jobs a stage holds: in a wait, those that wait. */
export function loadOf({ kind, pending, processing, retrying, scheduled }: FunnelStage): number {
  return pending + processing + retrying + (kind === null ? 0 : scheduled);
}

/** How much stands at this stage beside the others: the shape of the funnel. */
export function LoadBar({ stage, most }: { readonly stage: FunnelStage; readonly most: number }) {
  const parts: [string, number][] = [
    ["bg-processing", stage.processing],
    ["bg-pending", stage.pending],
    ["bg-retrying", stage.retrying],
    ["bg-scheduled", stage.kind === null ? 0 : stage.scheduled],
  ];
  return (
    <span aria-hidden className="flex h-1.5 overflow-hidden rounded-full bg-line/60">
      {parts.map(([colour, count]) => (
        <span
          key={colour}
          className={cn("h-full transition-[width] duration-300", colour)}
          style={{ width: `${(count / most) * 100}%` }}
        />
      ))}
    </span>
  );
}
