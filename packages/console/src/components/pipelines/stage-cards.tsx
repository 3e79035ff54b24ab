import { Link } from "@tanstack/react-router";
import { Pause, Play } from "lucide-react";
import type { ReactNode } from "react";
import { formatDuration } from "../../format/duration.ts";
import { formatNumber, formatPercent } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { ProcessorGrid } from "../workers/processor-grid.tsx";
import type { StageFunnelProps } from "./stage-funnel.tsx";
import { LoadBar, loadOf, StageMarks, Waiting } from "./stage-marks.tsx";

/** The funnel on a narrow screen, one stage below the other. */
export function StageCards({ pipeline, stages, onPause }: StageFunnelProps) {
  const most = Math.max(1, ...stages.map(loadOf));
  return (
    <ol className="divide-y">
      {stages.map((stage, index) => {
        const isPaused = stage.pausedAt !== null;
        const Icon = isPaused ? Play : Pause;
        const numbers: [string, ReactNode][] = [
          stage.kind === null
            ? [text.pipelines.pending, formatNumber(stage.pending)]
            : [text.status.scheduled, formatNumber(stage.scheduled)],
          [text.pipelines.retrying, formatNumber(stage.retrying)],
          [text.pipelines.failed, formatNumber(stage.failed)],
          [text.pipelines.donePerHour, formatNumber(Math.round(stage.donePerHour))],
          [text.pipelines.waitP95, stage.waitP95Ms === null ? "–" : formatDuration(stage.waitP95Ms)],
          [text.pipelines.runP95, stage.runP95Ms === null ? "–" : formatDuration(stage.runP95Ms)],
          [text.pipelines.oldest, <Waiting key="oldest" since={stage.oldestPendingAt} />],
          [text.pipelines.passedOn, stage.passedOn === null ? "–" : formatPercent(stage.passedOn)],
        ];
        return (
          <li key={stage.name} className="space-y-2.5 px-4 py-3">
            <div className="flex items-start justify-between gap-3">
              <Link
                to="/jobs"
                search={{ filter: `pipeline:${pipeline} stage:${stage.name}` }}
                className="min-w-0 font-medium hover:underline"
              >
                <span className="text-muted">{index + 1}</span> {stage.name}
              </Link>
              {onPause !== null && (
                <Button
                  size="small"
                  aria-label={
                    isPaused ? text.pipelines.resumeStage(stage.name) : text.pipelines.pauseStage(stage.name)
                  }
                  onClick={() => onPause(stage.name, !isPaused)}
                >
                  <Icon size={13} aria-hidden /> {isPaused ? text.pipelines.resume : text.pipelines.pause}
                </Button>
              )}
            </div>
            <div className="flex flex-wrap gap-x-3 gap-y-1 empty:hidden">
              <StageMarks stage={stage} />
            </div>
            <LoadBar stage={stage} most={most} />
            {stage.kind === null && <ProcessorGrid processors={stage.processors} label={stage.name} />}
            <dl className="grid grid-cols-3 gap-x-3 gap-y-2 text-table sm:grid-cols-4 md:grid-cols-8">
              {numbers.map(([name, value]) => (
                <div key={name}>
                  <dt className="text-xs text-muted">{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          </li>
        );
      })}
    </ol>
  );
}
