import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { type ShownStatus, statusFill } from "./status-badge.tsx";

export interface ProgressBarProps {
  /** 0 to 100; null while nobody can say. */
  readonly percent: number | null;
  readonly status: ShownStatus;
  /** Where the job stands, counted from 1; cuts the bar into its stages. */
  readonly stage?: number | undefined;
  readonly stages?: number | undefined;
  readonly label: string;
  readonly isTall?: boolean;
}

export function ProgressBar({ percent, status, stage, stages = 1, label, isTall }: ProgressBarProps) {
  const valueText = text.progress.value(percent, stage, stages);
  const known = percent === null ? {} : { "aria-valuenow": Math.round(percent) };
  return (
    <div className="flex min-w-0 items-center gap-2">
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={valueText}
        {...known}
        className={cn(
          "relative min-w-0 flex-1 overflow-hidden rounded-full bg-line",
          isTall ? "h-2.5" : "h-1.5",
        )}
      >
        {percent === null ? (
          <div
            className={cn(
              "bar-fill h-full w-1/3 animate-sweep rounded-full motion-reduce:w-full motion-reduce:opacity-40",
              statusFill(status),
            )}
          />
        ) : (
          <div
            className={cn(
              "bar-fill h-full rounded-full transition-[width] duration-300 ease-out",
              statusFill(status),
            )}
            style={{ width: `${Math.min(100, Math.max(0, percent))}%` }}
          />
        )}
        {Array.from({ length: Math.max(0, stages - 1) }, (_, index) => (
          <span
            key={index}
            aria-hidden
            className="absolute inset-y-0 w-0.5 bg-panel"
            style={{ insetInlineStart: `calc(${((index + 1) / stages) * 100}% - 1px)` }}
          />
        ))}
      </div>
      <span aria-hidden className="w-10 shrink-0 text-end text-xs whitespace-nowrap text-muted">
        {percent === null ? "" : `${Math.round(percent)} %`}
      </span>
    </div>
  );
}
