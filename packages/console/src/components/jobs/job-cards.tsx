import { shortId } from "../../format/short-id.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { RelativeTime } from "../shared/relative-time.tsx";
import { JobHint, JobHolder, JobLink, JobProgressCell, JobStatusCell } from "./job-row-parts.tsx";
import type { JobListProps } from "./job-table.tsx";

/** The same rows on a narrow screen, where a table would have to be pushed from side to side. */
export function JobCards({ jobs, context, selected, onSelect, isStale, time }: JobListProps) {
  return (
    <ul aria-label={text.jobs.list} className={cn("divide-y", isStale && "opacity-60")}>
      {jobs.map((job) => (
        <li
          key={job.id}
          data-row={job.id}
          className={cn("flex gap-3 px-3 py-3", selected.has(job.id) && "bg-selected")}
        >
          {onSelect !== null && (
            <input
              type="checkbox"
              aria-label={text.jobs.select(shortId(job.id))}
              checked={selected.has(job.id)}
              onChange={() => onSelect(job.id, false)}
              className="mt-0.5 size-5 shrink-0 accent-(--primary)"
            />
          )}
          <div className="min-w-0 flex-1 space-y-1.5">
            <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
              <JobStatusCell job={job} />
              <span className="text-xs text-muted">
                <RelativeTime at={time.at(job)} />
              </span>
            </div>
            <p className="flex min-w-0 items-baseline gap-2">
              <JobLink job={job} />
              <JobHint job={job} />
            </p>
            <p className="flex justify-between gap-3 text-xs text-muted">
              <span className="truncate">
                {job.pipeline} / {job.stage}
              </span>
              <span className="max-w-[40%] shrink-0">
                <JobHolder job={job} workers={context.workers} />
              </span>
            </p>
            <JobProgressCell job={job} stages={context.stages.get(job.pipeline) ?? []} />
          </div>
        </li>
      ))}
    </ul>
  );
}
