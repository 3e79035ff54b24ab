import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { Worker } from "../../api/contract.ts";
import { jobsQuery } from "../../api/jobs-api.ts";
import { formatDuration, formatElapsed } from "../../format/duration.ts";
import { formatBytes } from "../../format/number.ts";
import { shortId } from "../../format/short-id.ts";
import { usePollMs } from "../../live/live-status.ts";
import { useNow } from "../../live/use-now.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { reportsOf } from "../pipelines/funnel.ts";
import { Duration, RelativeTime } from "../shared/relative-time.tsx";
import { ProcessorGrid } from "./processor-grid.tsx";
import { upMs, workerState } from "./worker-state.ts";

const looks = {
  live: { icon: CircleCheck, colour: "text-completed", word: text.workers.live },
  late: { icon: TriangleAlert, colour: "text-retrying", word: text.workers.late },
  lost: { icon: CircleAlert, colour: "text-failed", word: text.workers.lost },
};

export interface WorkerCardProps {
  readonly worker: Worker;
  /** On its own page, which names it and lists its jobs. */
  readonly isAlone?: boolean;
}

/** One process: how it is, what its processors do, and which jobs it holds. */
export function WorkerCard({ worker, isAlone = false }: WorkerCardProps) {
  const now = useNow();
  const state = workerState(worker, now);
  const { icon: Icon, colour, word } = looks[state];
  const leaseMs = Date.parse(worker.leaseUntil) - now.getTime();
  const memory = (worker.report as { memoryBytes?: unknown } | null)?.memoryBytes;
  const facts: [string, ReactNode][] = [
    [text.workers.heartbeat, <RelativeTime key="beat" at={worker.heartbeatAt} />],
    [
      leaseMs > 0 ? text.workers.lease : text.workers.leaseEnded,
      leaseMs > 0 ? formatElapsed(leaseMs) : <RelativeTime key="lease" at={worker.leaseUntil} />,
    ],
    [state === "lost" ? text.workers.wasUp : text.workers.up, formatDuration(upMs(worker, now))],
    [text.workers.memory, typeof memory === "number" ? formatBytes(memory) : null],
    [
      text.workers.oldest,
      worker.oldestJobAt === null ? null : <RelativeTime key="old" at={worker.oldestJobAt} />,
    ],
    [
      text.workers.newest,
      worker.newestJobAt === null ? null : <RelativeTime key="new" at={worker.newestJobAt} />,
    ],
  ];
  return (
    <article data-worker={state} className={cn("panel p-4", state === "lost" && "border-failed/60")}>
      <header className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className={cn("inline-flex items-center gap-1.5 text-table font-medium", colour)}>
          <Icon size={16} aria-hidden /> {word}
        </span>
        {!isAlone && (
          <h3 className="font-semibold" title={worker.workerId}>
            <Link to="/workers/$id" params={{ id: worker.workerId }} className="hover:underline">
              {worker.name}
            </Link>
          </h3>
        )}
        <span className="text-table text-muted">
          {[
            worker.host,
            worker.pid === null ? null : `pid ${worker.pid}`,
            worker.version === null ? null : `v${worker.version}`,
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
        {state === "lost" && worker.activeJobs > 0 && (
          <span className="text-table text-failed">{text.workers.goesBack(worker.activeJobs)}</span>
        )}
      </header>
      <dl className="mt-3 flex flex-wrap gap-x-6 gap-y-2 text-table">
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name}>
              <dt className="text-xs text-muted">{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <ul className="mt-3 grid grid-cols-1 gap-x-6 gap-y-1.5 text-table md:grid-cols-2">
        {reportsOf(worker).map((report) => (
          <li
            key={`${report.pipeline}/${report.stage}`}
            className="flex items-center justify-between gap-x-3 max-sm:flex-col max-sm:items-start"
          >
            <span className="max-w-full min-w-0 truncate text-muted">
              {report.pipeline} / <span className="text-ink">{report.stage}</span>
            </span>
            <div className="max-w-full shrink-0 sm:max-w-[70%]">
              <ProcessorGrid processors={report} label={`${report.pipeline} / ${report.stage}`} />
            </div>
          </li>
        ))}
      </ul>
      {!isAlone && worker.activeJobs > 0 && <HeldJobs worker={worker} />}
    </article>
  );
}

function HeldJobs({ worker }: { readonly worker: Worker }) {
  const pollMs = usePollMs();
  const filter = `status:processing worker:${worker.workerId}`;
  const { data } = useQuery({ ...jobsQuery({ filter, limit: 8 }), refetchInterval: pollMs || 3_000 });
  const jobs = data?.data ?? [];
  if (jobs.length === 0) return null;
  return (
    <div className="mt-3 border-t pt-2.5">
      <h4 className="mb-1 text-xs text-muted">{text.workers.handling}</h4>
      <ul className="grid grid-cols-1 gap-x-6 gap-y-1 text-table md:grid-cols-2">
        {jobs.map((job) => (
          <li key={job.id} className="flex items-center gap-2.5">
            <Link
              to="/jobs/$id"
              params={{ id: job.id }}
              className="inline-flex min-h-6 items-center font-mono text-xs text-primary hover:underline"
            >
              {shortId(job.id)}
            </Link>
            <span className="min-w-0 flex-1 truncate">
              {job.pipeline} / {job.stage}
            </span>
            {job.claimedAt !== null && <Duration from={job.claimedAt} />}
          </li>
        ))}
      </ul>
    </div>
  );
}
