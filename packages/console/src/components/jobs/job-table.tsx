import type { KeyboardEvent } from "react";
import type { JobSummary } from "../../api/contract.ts";
import { shortId } from "../../format/short-id.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { RelativeTime } from "../shared/relative-time.tsx";
import {
  JobAttempts,
  type JobContext,
  JobHint,
  JobHolder,
  JobLink,
  JobProgressCell,
  JobStatusCell,
} from "./job-row-parts.tsx";

export interface JobListProps {
  readonly jobs: readonly JobSummary[];
  readonly context: JobContext;
  readonly selected: ReadonlySet<string>;
  /** Null: this access may change nothing, so nothing can be selected. */
  readonly onSelect: ((id: string, isRange: boolean) => void) | null;
  readonly onSelectAll: () => void;
  readonly isStale: boolean;
  /** The time that the last column shows. */
  readonly time: { readonly name: string; readonly at: (job: JobSummary) => string | null };
}

const head = "px-2 py-2 text-start text-xs font-medium text-muted whitespace-nowrap";
const middleHeadings = [
  text.jobs.job,
  text.jobs.place,
  text.jobs.attempt,
  text.jobs.progress,
  text.jobs.worker,
];
const cell = "px-2 py-(--row-y) align-middle";

export function JobTable({ jobs, context, selected, onSelect, onSelectAll, isStale, time }: JobListProps) {
  return (
    <table
      aria-label={text.jobs.list}
      aria-busy={isStale || undefined}
      onKeyDown={moveFocus}
      className={cn("w-full table-fixed border-collapse text-table", isStale && "opacity-60")}
    >
      <colgroup>
        {onSelect !== null && <col className="w-10" />}
        <col className="w-32" />
        <col />
        <col className="w-[23%]" />
        <col className="w-20" />
        <col className="w-[14%]" />
        <col className="w-28" />
        <col className="w-24" />
      </colgroup>
      <thead>
        <tr className="border-b">
          {onSelect !== null && (
            <th scope="col" className={cn(head, "ps-4")}>
              <input
                type="checkbox"
                aria-label={text.jobs.selectAll}
                checked={jobs.length > 0 && jobs.every(({ id }) => selected.has(id))}
                onChange={onSelectAll}
                className="size-4 accent-(--primary) align-middle"
              />
            </th>
          )}
          <th scope="col" className={cn(head, onSelect === null && "ps-4")}>
            {text.jobs.status}
          </th>
          {middleHeadings.map((name) => (
            <th key={name} scope="col" className={head}>
              {name}
            </th>
          ))}
          <th scope="col" className={cn(head, "pe-4 text-end")}>
            {time.name}
          </th>
        </tr>
      </thead>
      <tbody className="divide-y">
        {jobs.map((job) => (
          <tr
            key={job.id}
            data-row={job.id}
            className={cn("hover:bg-well", selected.has(job.id) && "bg-selected hover:bg-selected")}
          >
            {onSelect !== null && (
              <td className={cn(cell, "ps-4")}>
                <input
                  type="checkbox"
                  aria-label={text.jobs.select(shortId(job.id))}
                  checked={selected.has(job.id)}
                  onChange={(event) =>
                    onSelect(job.id, (event.nativeEvent as PointerEvent).shiftKey === true)
                  }
                  className="size-4 accent-(--primary) align-middle"
                />
              </td>
            )}
            <td className={cn(cell, onSelect === null && "ps-4")}>
              <JobStatusCell job={job} />
            </td>
            <th scope="row" className={cn(cell, "text-start font-normal")}>
              <div className="flex min-w-0 items-baseline gap-2.5">
                <JobLink job={job} />
                <JobHint job={job} />
              </div>
            </th>
            <td className={cn(cell, "truncate")} title={`${job.pipeline} / ${job.stage}`}>
              <span className="text-muted">{job.pipeline} / </span>
              {job.stage}
            </td>
            <td className={cell}>
              <JobAttempts job={job} most={context.attempts.get(`${job.pipeline}/${job.stage}`)} />
            </td>
            <td className={cell}>
              <JobProgressCell job={job} stages={context.stages.get(job.pipeline) ?? []} />
            </td>
            <td className={cell}>
              <JobHolder job={job} workers={context.workers} />
            </td>
            <td className={cn(cell, "pe-4 text-end")}>
              <RelativeTime at={time.at(job)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** ↑ and ↓ go from job to job. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  focusNeighbour(event.key === "ArrowDown" ? 1 : -1);
}

/** The job link after or before the one that has the focus; the first when none has. */
export function focusNeighbour(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>("main [data-job]")];
  const row = document.activeElement?.closest("[data-row]");
  const at = links.findIndex((link) => link === document.activeElement || row?.contains(link));
  links[at === -1 ? 0 : Math.min(links.length - 1, Math.max(0, at + step))]?.focus();
}

export function focusedJob(): string | null {
  const row = document.activeElement?.closest<HTMLElement>("[data-row]");
  return row?.dataset.row ?? null;
}
