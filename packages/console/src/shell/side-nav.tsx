import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Pipeline, StageCount, Worker } from "../api/contract.ts";
import { pipelinesQuery, statsQuery } from "../api/pipelines-api.ts";
import { waitingCountQuery } from "../api/waits-api.ts";
import { workersQuery } from "../api/workers-api.ts";
import { formatNumber } from "../format/number.ts";
import { text } from "../text/text.ts";
import { cn } from "../ui/cn.ts";
import { navPages } from "./pages.ts";

export interface SideNavProps {
  /** Only icons, on medium screens. */
  readonly isNarrow: boolean;
  readonly onNavigate?: () => void;
}

export function SideNav({ isNarrow, onNavigate }: SideNavProps) {
  const stats = useQuery(statsQuery).data ?? [];
  const workers = useQuery(workersQuery).data ?? [];
  const pipelines = useQuery(pipelinesQuery).data ?? [];
  const inWaits = scheduledInWaits(stats, pipelines);
  const asking = useQuery(waitingCountQuery(inWaits)).data ?? 0;
  const counts: Record<string, number | undefined> = {
    ...countsBeside(stats, workers),
    "/waits": inWaits > 0 && asking > 0 ? asking : undefined,
  };
  return (
    <nav aria-label={text.shell.navigation} className="flex h-full flex-col gap-0.5 p-2.5">
      <Link
        to="/"
        onClick={onNavigate}
        className={cn(
          "mb-2.5 flex h-9 items-center gap-2.5 rounded-md",
          isNarrow ? "justify-center" : "px-2",
        )}
      >
        <Mark />
        <span className={isNarrow ? "sr-only" : "text-[15px] font-semibold tracking-tight"}>
          {text.product}
        </span>
      </Link>
      {navPages.map(({ to, label, icon: Icon, isApart }) => (
        <Link
          key={to}
          to={to}
          title={isNarrow ? label : undefined}
          onClick={onNavigate}
          activeOptions={{ exact: to === "/", includeSearch: false }}
          className={cn(
            "group flex h-9 items-center gap-2.5 rounded-md text-muted hover:bg-well hover:text-ink aria-[current=page]:bg-selected aria-[current=page]:font-medium aria-[current=page]:text-ink",
            isNarrow ? "justify-center" : "px-2.5",
            isApart && "mt-auto",
          )}
        >
          <Icon size={17} aria-hidden className="shrink-0 group-aria-[current=page]:text-primary" />
          <span className={isNarrow ? "sr-only" : "flex-1 truncate"}>{label}</span>
          {!isNarrow && counts[to] !== undefined && (
            <span className="text-xs text-muted">{formatNumber(counts[to])}</span>
          )}
        </Link>
      ))}
    </nav>
  );
}

/** What waits or runs, and who works: the numbers one wants without opening a page. */
function countsBeside(
  stats: readonly StageCount[],
  workers: readonly Worker[],
): Record<string, number | undefined> {
  const sum = (...wanted: string[]) =>
    stats.filter(({ status }) => wanted.includes(status)).reduce((total, { jobs }) => total + jobs, 0);
  const live = sum("pending", "processing", "retrying");
  const alive = workers.filter(({ isAlive }) => isAlive).length;
  return {
    "/jobs": live > 0 ? live : undefined,
    "/workers": workers.length > 0 ? alive : undefined,
  };
}

/** How many jobs are in a wait, those among them whose children are still running. */
function scheduledInWaits(stats: readonly StageCount[], pipelines: readonly Pipeline[]): number {
  const isWait = (pipeline: string, stage: string) =>
    pipelines
      .find(({ name }) => name === pipeline)
      ?.stages.some(({ name, kind }) => name === stage && kind === "wait") ?? false;
  return stats
    .filter(({ status, pipeline, stage }) => status === "scheduled" && isWait(pipeline, stage))
    .reduce((total, { jobs }) => total + jobs, 0);
}

function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true" className="size-6 shrink-0">
      <rect width="32" height="32" rx="8" className="fill-primary" />
      <path
        d="M8 9h4.500v4.500H8zm5.750 0h4.500v4.500h-4.500zM19.500 9H24v4.500h-4.500z"
        className="fill-on-primary"
        opacity=".4"
      />
      <path
        d="M8 14.500h4.500V23H8zm5.750 3.250h4.500V23h-4.500zM19.500 20.500H24V23h-4.500z"
        className="fill-on-primary"
      />
    </svg>
  );
}
