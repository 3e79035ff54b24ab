import type { Attempt } from "../../api/contract.ts";
import { shortId } from "../../format/short-id.ts";
import { text } from "../../text/text.ts";
import { StackTrace } from "../errors/stack-trace.tsx";
import { AbsoluteTime, Duration } from "../shared/relative-time.tsx";
import { type ShownStatus, StatusIcon } from "../shared/status-badge.tsx";
import { LogViewer } from "./log-viewer.tsx";

const icons: Record<Attempt["outcome"], ShownStatus> = {
  done: "completed",
  failed: "failed",
  timeout: "failed",
  lost: "cancelled",
  released: "pending",
  snoozed: "scheduled",
  skipped: "cancelled",
  branched: "scheduled",
  cancelled: "cancelled",
  processing: "processing",
};

export interface AttemptCardProps {
  readonly attempt: Attempt;
  readonly worker: string | undefined;
  readonly isOpen: boolean;
}

/** One try: how it ended, where it ran, what it wrote. */
export function AttemptCard({ attempt, worker, isOpen }: AttemptCardProps) {
  const { stage, outcome, error, log = [] } = attempt;
  const hasMore = error !== undefined || log.length > 0;
  const head = (
    <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-0.5">
      <StatusIcon status={icons[outcome]} size={16} />
      <span className="font-medium">{stage}</span>
      <span className="text-muted">{text.job.attempt(attempt.attempt)}</span>
      <span>{text.outcome[outcome]}</span>
      <span className="ms-auto flex flex-wrap gap-x-2.5 text-table text-muted">
        <span title={attempt.workerId}>{worker ?? shortId(attempt.workerId)}</span>
        <Duration from={attempt.claimedAt} to={attempt.endedAt} />
      </span>
    </span>
  );
  if (!hasMore) return <div className="flex items-center gap-2 py-2 ps-6">{head}</div>;
  return (
    <details open={isOpen} className="group">
      <summary className="flex list-none items-center gap-2 rounded py-2 hover:bg-well">
        <span aria-hidden className="w-4 text-center text-muted transition-transform group-open:rotate-90">
          ▸
        </span>
        {head}
      </summary>
      <div className="space-y-2 pb-3 ps-6">
        {error !== undefined && <StackTrace error={error} />}
        {log.length > 0 && <LogViewer lines={log} isGrowing={outcome === "processing"} />}
        <p className="text-xs text-muted">
          <AbsoluteTime at={attempt.claimedAt} />
        </p>
      </div>
    </details>
  );
}
