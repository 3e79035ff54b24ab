import { Link } from "@tanstack/react-router";
import { type JobStatus, statuses } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { StatusIcon } from "../shared/status-badge.tsx";
import { type Count, countText } from "./count-label.tsx";

export interface StatusTabsProps {
  readonly chosen: JobStatus | undefined;
  readonly counts: Partial<Record<JobStatus, Count>>;
  readonly filter: string | undefined;
}

/** One link a status, each with its number; they are addresses, so they can be kept and sent. */
export function StatusTabs({ chosen, counts, filter }: StatusTabsProps) {
  const known = statuses.flatMap((status) => counts[status] ?? []);
  const all: Count = {
    value: known.reduce((total, { value }) => total + value, 0),
    exact: known.every(({ exact }) => exact),
    capped: known.some(({ capped }) => capped),
  };
  return (
    <nav aria-label={text.jobs.tabs} className="-mx-4 overflow-x-auto px-4 lg:mx-0 lg:px-0">
      <ul className="flex gap-1 border-b">
        {[undefined, ...statuses].map((status) => {
          const count = status === undefined ? (known.length > 0 ? all : undefined) : counts[status];
          const isChosen = status === chosen;
          return (
            <li key={status ?? "all"}>
              <Link
                to="/jobs"
                search={{ ...(status === undefined ? {} : { status }), ...(filter ? { filter } : {}) }}
                aria-current={isChosen ? "page" : undefined}
                className={cn(
                  "-mb-px flex h-9 items-center gap-1.5 border-b-2 px-2.5 whitespace-nowrap",
                  isChosen
                    ? "border-primary font-medium text-ink"
                    : "border-transparent text-muted hover:text-ink",
                )}
              >
                {status !== undefined && <StatusIcon status={status} size={14} />}
                {status === undefined ? text.common.all : text.status[status]}
                <span className="text-xs text-muted">{count === undefined ? "" : countText(count)}</span>
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
