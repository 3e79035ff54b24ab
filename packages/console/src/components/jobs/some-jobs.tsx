import { useQuery } from "@tanstack/react-query";
import { isFinished } from "../../api/contract.ts";
import { type JobsQuery, jobsQuery } from "../../api/jobs-api.ts";
import { pipelinesQuery } from "../../api/pipelines-api.ts";
import { workersQuery } from "../../api/workers-api.ts";
import { usePollMs } from "../../live/live-status.ts";
import { useLive } from "../../live/use-live.ts";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { WhenRead } from "../shared/when-read.tsx";
import { JobList } from "./job-list.tsx";
import type { JobListProps } from "./job-table.tsx";
import { jobContext } from "./jobs-view.ts";

export interface SomeJobsProps {
  readonly query: JobsQuery;
  readonly time: JobListProps["time"];
  /** How often to look for others; those that are shown change by themselves. */
  readonly everyMs: number;
  /** Said when there are none. */
  readonly none: string;
}

const nothing: ReadonlySet<string> = new Set();

/** The jobs that a page about something else shows: to look at, not to choose from. */
export function SomeJobs({ query, time, everyMs, none }: SomeJobsProps) {
  const pollMs = usePollMs();
  const pipelines = useQuery(pipelinesQuery).data ?? [];
  const workers = useQuery(workersQuery).data ?? [];
  const page = useQuery({ ...jobsQuery(query), refetchInterval: pollMs || everyMs });
  const jobs = page.data?.data ?? [];
  const unfinished = jobs.filter(({ status }) => !isFinished(status));
  useLive({ topics: [], watch: unfinished.map(({ id }) => id) });
  return (
    <WhenRead queries={[page]} skeleton={<SkeletonRows />}>
      {() =>
        jobs.length === 0 ? (
          <p className="px-4 pb-4 text-muted">{none}</p>
        ) : (
          <JobList
            jobs={jobs}
            context={jobContext(pipelines, workers)}
            selected={nothing}
            onSelect={null}
            onSelectAll={() => {}}
            isStale={page.isPlaceholderData}
            time={time}
          />
        )
      }
    </WhenRead>
  );
}
