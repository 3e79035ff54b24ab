import { Link } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import { formatDuration } from "../../format/duration.ts";
import { formatFull, formatNumber, formatPercent } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { ProcessorGrid } from "../workers/processor-grid.tsx";
import type { FunnelStage } from "./funnel.ts";
import { LoadBar, loadOf, StageMarks, Waiting } from "./stage-marks.tsx";

export interface StageFunnelProps {
  readonly pipeline: string;
  readonly stages: readonly FunnelStage[];
  /** Null: this access may not. */
  readonly onPause: ((stage: string, isPaused: boolean) => void) | null;
}

const head = "px-3 py-2 text-xs font-medium text-muted whitespace-nowrap";
const cell = "px-3 py-(--row-y) whitespace-nowrap";
const headings = [
  [text.pipelines.stage, "ps-4 text-start"],
  [text.pipelines.pending, "text-end"],
  [text.pipelines.processing, "text-start"],
  [text.pipelines.retrying, "text-end"],
  [text.pipelines.failed, "text-end"],
  [text.pipelines.donePerHour, "text-end"],
  [text.pipelines.waitP95, "text-end"],
  [text.pipelines.runP95, "text-end"],
  [text.pipelines.oldest, "text-end"],
  [text.pipelines.passedOn, "text-end"],
] as const;

/** The pipeline as its stages: what waits before each, what works in it, how fast it goes through, where it gets stuck. */
export function StageFunnel({ pipeline, stages, onPause }: StageFunnelProps) {
  const most = Math.max(1, ...stages.map(loadOf));
  return (
    <ScrollRegion label={pipeline} className="overflow-x-auto">
      <table className="w-full border-collapse text-table">
        <thead>
          <tr className="border-b">
            {headings.map(([name, className]) => (
              <th key={name} scope="col" className={cn(head, className)}>
                {name}
              </th>
            ))}
            {onPause !== null && (
              <th scope="col" className={cn(head, "pe-4 text-end")}>
                <span className="sr-only">{text.pipelines.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody className="divide-y">
          {stages.map((stage, index) => (
            <tr key={stage.name} className="hover:bg-well">
              <th scope="row" className={cn(cell, "min-w-52 ps-4 text-start font-normal")}>
                <span className="flex items-center gap-2">
                  <span aria-hidden className="w-4 text-end text-xs text-muted">
                    {index + 1}
                  </span>
                  <span className="font-medium">{stage.name}</span>
                  <StageMarks stage={stage} />
                </span>
                <span className="mt-1.5 ms-6 block">
                  <LoadBar stage={stage} most={most} />
                </span>
              </th>
              <td className={cn(cell, "text-end")}>
                <CountLink
                  pipeline={pipeline}
                  stage={stage.name}
                  status="pending"
                  count={stage.pending}
                  isStrong={stage.isBottleneck}
                />
              </td>
              <td className={cell}>
                {stage.kind === null ? (
                  <ProcessorGrid processors={stage.processors} label={stage.name} />
                ) : (
                  <CountLink
                    pipeline={pipeline}
                    stage={stage.name}
                    status="scheduled"
                    count={stage.scheduled}
                  />
                )}
              </td>
              <td className={cn(cell, "text-end")}>
                <CountLink pipeline={pipeline} stage={stage.name} status="retrying" count={stage.retrying} />
              </td>
              <td className={cn(cell, "text-end")}>
                <CountLink pipeline={pipeline} stage={stage.name} status="failed" count={stage.failed} />
              </td>
              <td className={cn(cell, "text-end")}>{formatNumber(Math.round(stage.donePerHour))}</td>
              <td className={cn(cell, "text-end")}>{span(stage.waitP95Ms)}</td>
              <td className={cn(cell, "text-end")}>{span(stage.runP95Ms)}</td>
              <td className={cn(cell, "text-end")}>
                <Waiting since={stage.oldestPendingAt} />
              </td>
              <td className={cn(cell, "text-end")}>
                {stage.passedOn === null ? <None /> : formatPercent(stage.passedOn)}
              </td>
              {onPause !== null && (
                <td className={cn(cell, "pe-4 text-end")}>
                  <PauseButton stage={stage} onPause={onPause} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

interface CountLinkProps {
  readonly pipeline: string;
  readonly stage: string;
  readonly status: "pending" | "retrying" | "failed" | "scheduled";
  readonly count: number;
  readonly isStrong?: boolean;
}

function CountLink({ pipeline, stage, status, count, isStrong }: CountLinkProps) {
  if (count === 0) return <span className="text-muted">0</span>;
  return (
    <Link
      to="/jobs"
      search={{ status, filter: `pipeline:${pipeline} stage:${stage}` }}
      aria-label={`${formatFull(count)}: ${text.pipelines.showJobs(text.status[status].toLowerCase(), stage)}`}
      className={cn(
        "rounded underline decoration-line underline-offset-4 hover:decoration-current",
        status === "failed" && "text-failed",
        status === "retrying" && "text-retrying",
        isStrong && "font-semibold",
      )}
    >
      {formatNumber(count)}
      {status === "scheduled" && ` ${text.waits.waiting}`}
    </Link>
  );
}

function PauseButton({
  stage,
  onPause,
}: {
  readonly stage: FunnelStage;
  readonly onPause: (stage: string, isPaused: boolean) => void;
}) {
  const isPaused = stage.pausedAt !== null;
  const Icon = isPaused ? Play : Pause;
  return (
    <Button
      size="small"
      aria-label={isPaused ? text.pipelines.resumeStage(stage.name) : text.pipelines.pauseStage(stage.name)}
      onClick={() => onPause(stage.name, !isPaused)}
    >
      <Icon size={13} aria-hidden /> {isPaused ? text.pipelines.resume : text.pipelines.pause}
    </Button>
  );
}

function span(ms: number | null) {
  return ms === null ? <None /> : formatDuration(ms);
}

function None() {
  return <span className="text-muted">–</span>;
}
