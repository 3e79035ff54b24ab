import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { isFinished, type Job } from "../api/contract.ts";
import { branchesQuery, jobQuery } from "../api/jobs-api.ts";
import { pipelinesQuery } from "../api/pipelines-api.ts";
import { ProblemError } from "../api/problem-error.ts";
import { workersQuery } from "../api/workers-api.ts";
import { AttemptCard } from "../components/job/attempt-card.tsx";
import { AttemptChart } from "../components/job/attempt-chart.tsx";
import { CancelNote } from "../components/job/cancel-note.tsx";
import { GoneJob } from "../components/job/gone-job.tsx";
import { JobActions } from "../components/job/job-actions.tsx";
import { lastBranches } from "../components/job/job-branches.ts";
import { JobData } from "../components/job/job-data.tsx";
import { JobFacts } from "../components/job/job-facts.tsx";
import { jobProgress } from "../components/job/job-progress.ts";
import { JobStreams } from "../components/job/job-streams.tsx";
import { StageStepper } from "../components/job/stage-stepper.tsx";
import { WaitPanel } from "../components/job/wait-panel.tsx";
import { WhyWaiting } from "../components/job/why-waiting.tsx";
import { ProgressBar } from "../components/shared/progress-bar.tsx";
import { ErrorState } from "../components/shared/states.tsx";
import { StatusBadge } from "../components/shared/status-badge.tsx";
import { shortId } from "../format/short-id.ts";
import { useLiveStatus, usePollMs } from "../live/live-status.ts";
import { useLive } from "../live/use-live.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Panel } from "../ui/panel.tsx";
import { Skeleton, WhileLoading } from "../ui/skeleton.tsx";

// The stream tells how a job stands, not what it logs.
const logMs = 2_000;

export function JobPage() {
  const { id } = useParams({ from: "/jobs/$id" });
  const pollMs = usePollMs();
  const { kind } = useLiveStatus();
  const {
    data: job,
    error,
    isPending,
    refetch,
  } = useQuery({
    ...jobQuery(id),
    refetchInterval: ({ state }) => {
      if (state.data !== undefined && isFinished(state.data.status)) return false;
      return kind === "live" && state.data?.status === "processing" ? logMs : pollMs;
    },
  });
  useLive({ topics: [], watch: job !== undefined && isFinished(job.status) ? [] : [id] });

  if (error !== null && job === undefined) {
    const isGone = error instanceof ProblemError && (error.status === 404 || error.status === 422);
    return (
      <>
        <PageHeader title={text.job.title} />
        <div className="panel">
          {isGone ? <GoneJob id={id} /> : <ErrorState error={error} onRetry={() => void refetch()} />}
        </div>
      </>
    );
  }
  if (isPending || job === undefined) {
    return (
      <>
        <PageHeader title={text.job.title} tabTitle={shortId(id)} />
        <WhileLoading>
          <div className="space-y-4">
            <div className="panel space-y-3 p-4">
              <Skeleton className="h-5 w-40" />
              <Skeleton className="h-14 w-full" />
            </div>
            <div className="panel p-4">
              <Skeleton className="h-40 w-full" />
            </div>
          </div>
        </WhileLoading>
      </>
    );
  }
  return <LoadedJob job={job} />;
}

function LoadedJob({ job }: { readonly job: Job & { readonly etag: string | null } }) {
  const pipeline = useQuery(pipelinesQuery).data?.find(({ name }) => name === job.pipeline);
  const workers = useQuery(workersQuery).data ?? [];
  const known = pipeline?.stages.map(({ name }) => name) ?? [];
  // A job of an older version of its pipeline may stand at a stage that is gone.
  const stages = known.includes(job.stage) ? known : [...known, job.stage];
  const paused = new Set(pipeline?.stages.flatMap(({ name, pausedAt }) => (pausedAt === null ? [] : [name])));
  const kinds = new Map(
    pipeline?.stages.flatMap(({ name, kind }) => (kind === undefined ? [] : [[name, kind]])),
  );
  const workerNames = new Map(workers.map(({ workerId, name }) => [workerId, name]));
  const pollMs = usePollMs();
  const hasBranches = job.attempts.some(({ outcome }) => outcome === "branched");
  const { data: children = [] } = useQuery({
    ...branchesQuery(job.id),
    enabled: hasBranches,
    // They are jobs of their own, of whose moves this page is not told.
    refetchInterval: ({ state }) =>
      state.data?.every(({ status }) => status === null || isFinished(status)) ? false : pollMs || 2_000,
  });
  const branches = lastBranches(children);
  const progress = jobProgress(job, stages);
  const tries = [...job.attempts].reverse();
  const firstWithError = tries.findIndex(({ error }) => error !== undefined);

  return (
    <>
      <PageHeader
        tabTitle={`${shortId(job.id)} · ${job.pipeline}`}
        title={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <StatusBadge status={job.status} isLarge />
            <Link to="/pipelines/$name" params={{ name: job.pipeline }} className="hover:underline">
              {job.pipeline}
            </Link>
            <span className="flex items-center font-mono text-sm font-normal text-muted" title={job.id}>
              {shortId(job.id)}
              <CopyButton value={job.id} label={text.job.copyId} />
            </span>
          </span>
        }
      >
        <JobActions job={job} stages={stages} />
      </PageHeader>

      <div className="grid grid-cols-1 gap-4 xl:grid-cols-[minmax(0,1.45fr)_minmax(0,1fr)]">
        <Panel title={text.job.stages} className="xl:col-span-2">
          <div className="space-y-4">
            <StageStepper job={job} stages={stages} paused={paused} kinds={kinds} branches={branches} />
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <div className="min-w-48 flex-1">
                <ProgressBar
                  label={text.progress.of(shortId(job.id))}
                  percent={progress.percent}
                  status={job.status}
                  stage={progress.stage}
                  stages={progress.stages}
                  isTall
                />
              </div>
              {job.progress?.note && !isFinished(job.status) && (
                <span className="text-muted">{job.progress.note}</span>
              )}
            </div>
            <CancelNote job={job} />
            <WhyWaiting job={job} />
            {job.attempts.length + job.waits.length > 0 && (
              <AttemptChart job={job} stages={stages} branches={branches} />
            )}
          </div>
        </Panel>

        <WaitPanel job={job} />

        <Panel
          title={text.job.attempts}
          aside={
            job.fingerprint !== null && (
              <Link
                to="/errors/$fingerprint"
                params={{ fingerprint: job.fingerprint }}
                className="rounded text-primary hover:underline"
              >
                {text.job.sameError}
              </Link>
            )
          }
        >
          {tries.length === 0 && <p className="text-muted">{text.job.noAttempts}</p>}
          <div className="divide-y">
            {tries.map((attempt, index) => (
              <AttemptCard
                key={`${attempt.stage}-${attempt.attempt}-${attempt.claimedAt}`}
                attempt={attempt}
                worker={workerNames.get(attempt.workerId)}
                isOpen={index === firstWithError || (index === 0 && (attempt.log?.length ?? 0) > 0)}
              />
            ))}
          </div>
        </Panel>

        <div className="space-y-4">
          <JobStreams job={job} />
          <Panel>
            <JobData job={job} />
          </Panel>
          <JobFacts
            job={job}
            worker={job.workerId === null ? null : (workerNames.get(job.workerId) ?? job.workerId)}
          />
        </div>
      </div>
    </>
  );
}
