import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { JobSummary, Pipeline, Worker } from "../../api/contract.ts";
import { jobsQuery } from "../../api/jobs-api.ts";
import { useMay } from "../../api/me-api.ts";
import { shortId } from "../../format/short-id.ts";
import { usePollMs } from "../../live/live-status.ts";
import { useLive } from "../../live/use-live.ts";
import { openNewJob } from "../../shell/new-job-layer.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SkeletonRows } from "../../ui/skeleton.tsx";
import { jobProgress } from "../job/job-progress.ts";
import { ProgressBar } from "../shared/progress-bar.tsx";
import { Duration } from "../shared/relative-time.tsx";
import { WhenRead } from "../shared/when-read.tsx";

export interface ProcessingNowProps {
  readonly pipelines: readonly Pipeline[];
  readonly workers: readonly Worker[];
}

/** What has been at it longest, with how far it is. */
export function ProcessingNow({ pipelines, workers }: ProcessingNowProps) {
  const mayAdd = useMay("jobs.add");
  const pollMs = usePollMs();
  const query = useQuery({
    ...jobsQuery({ filter: "status:processing", sort: "claimedAt", limit: 6 }),
    refetchInterval: pollMs || 3_000,
  });
  const jobs = (query.data?.data ?? []).filter(({ status }) => status === "processing");
  useLive({ topics: [], watch: jobs.map(({ id }) => id) });
  return (
    <Panel
      title={text.overview.processingNow}
      aside={
        <Link to="/jobs" search={{ status: "processing" }} className="rounded text-primary hover:underline">
          {text.common.all}
        </Link>
      }
      isFlush
    >
      <WhenRead queries={[query]} skeleton={<SkeletonRows rows={2} />}>
        {() =>
          jobs.length === 0 ? (
            <div className="flex items-center justify-between gap-3 px-4 pb-4 text-muted">
              {text.overview.nothingProcessing}
              {mayAdd && (
                <Button size="small" onClick={() => openNewJob({})}>
                  {text.jobs.add}
                </Button>
              )}
            </div>
          ) : (
            <ul className="divide-y border-t">
              {jobs.map((job) => (
                <ProcessingJob key={job.id} job={job} pipelines={pipelines} workers={workers} />
              ))}
            </ul>
          )
        }
      </WhenRead>
    </Panel>
  );
}

function ProcessingJob({ job, pipelines, workers }: ProcessingNowProps & { readonly job: JobSummary }) {
  const stages = pipelines.find(({ name }) => name === job.pipeline)?.stages.map(({ name }) => name) ?? [];
  const progress = jobProgress(job, stages);
  return (
    <li className="flex items-center gap-3 px-4 py-2 text-table">
      <Link to="/jobs/$id" params={{ id: job.id }} className="font-mono text-xs text-primary hover:underline">
        {shortId(job.id)}
      </Link>
      <span className="min-w-0 flex-1 truncate">{job.stage}</span>
      <span className="hidden max-w-32 truncate text-muted md:block">
        {workers.find(({ workerId }) => workerId === job.workerId)?.name ?? ""}
      </span>
      <span className="w-32 sm:w-40">
        <ProgressBar
          label={text.progress.of(shortId(job.id))}
          percent={progress.percent}
          status="processing"
          stage={progress.stage}
          stages={progress.stages}
        />
      </span>
      <span className="w-14 text-end text-xs text-muted">
        {job.claimedAt !== null && <Duration from={job.claimedAt} />}
      </span>
    </li>
  );
}
