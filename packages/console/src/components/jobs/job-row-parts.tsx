import { Link } from "@tanstack/react-router";
import type { JobSummary } from "../../api/contract.ts";
import { shortId } from "../../format/short-id.ts";
import { text } from "../../text/text.ts";
import { jobProgress } from "../job/job-progress.ts";
import { ProgressBar } from "../shared/progress-bar.tsx";
import { RelativeTime } from "../shared/relative-time.tsx";
import { StatusBadge } from "../shared/status-badge.tsx";
import { previewText } from "./preview-text.ts";

export interface JobContext {
  /** The stages of each pipeline, in order. */
  readonly stages: ReadonlyMap<string, readonly string[]>;
  readonly attempts: ReadonlyMap<string, number>;
  readonly workers: ReadonlyMap<string, string>;
}

interface OfJob {
  readonly job: JobSummary;
}

export function JobStatusCell({ job }: OfJob) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <StatusBadge status={job.status} />
      {job.cancelRequestedAt !== null && job.status === "processing" && (
        <span className="text-xs text-cancelled">{text.jobs.cancelling}</span>
      )}
    </span>
  );
}

export function JobLink({ job }: OfJob) {
  return (
    <Link
      to="/jobs/$id"
      params={{ id: job.id }}
      data-job={job.id}
      title={job.id}
      className="shrink-0 rounded font-mono text-xs whitespace-nowrap text-primary underline-offset-2 hover:underline"
    >
      {shortId(job.id)}
    </Link>
  );
}

/** What tells this job from its neighbours: the error when there is one, else the beginning of its payload. */
export function JobHint({ job }: OfJob) {
  if (job.error !== null && job.status !== "completed") {
    return (
      <span className="truncate text-xs text-failed" title={job.error.message}>
        {job.error.name}: {job.error.message}
      </span>
    );
  }
  const preview = previewText(job.payloadPreview);
  if (preview === "") return null;
  return (
    <span className="truncate font-mono text-xs text-muted" title={job.payloadPreview ?? undefined}>
      {preview}
    </span>
  );
}

export function JobAttempts({ job, most }: OfJob & { readonly most: number | undefined }) {
  return (
    <span className="whitespace-nowrap">
      {job.attempt}
      {most !== undefined && <span className="text-muted">/{most}</span>}
      {job.losses > 0 && <span className="ms-1.5 text-xs text-retrying">{text.jobs.losses(job.losses)}</span>}
    </span>
  );
}

export function JobProgressCell({ job, stages }: OfJob & { readonly stages: readonly string[] }) {
  const { percent, stage, stages: count } = jobProgress(job, stages);
  return (
    <ProgressBar
      label={text.progress.of(shortId(job.id))}
      percent={percent}
      status={job.status}
      stage={stage}
      stages={count}
    />
  );
}

/** Who holds it, or when it is due. */
export function JobHolder({ job, workers }: OfJob & Pick<JobContext, "workers">) {
  if (job.status === "scheduled" || job.status === "retrying") return <RelativeTime at={job.scheduledFor} />;
  if (job.workerId === null) return <span className="text-muted">–</span>;
  return (
    <span className="block truncate" title={job.workerId}>
      {workers.get(job.workerId) ?? shortId(job.workerId)}
    </span>
  );
}
