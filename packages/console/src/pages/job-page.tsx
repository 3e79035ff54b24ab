import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Info } from "lucide-react";
import type { ReactNode } from "react";
import { isFinished, type Job } from "../api/contract.ts";
import { explainQuery, jobQuery } from "../api/jobs-api.ts";
import { meQuery } from "../api/me-api.ts";
import { pipelinesQuery } from "../api/pipelines-api.ts";
import { ProblemError } from "../api/problem-error.ts";
import { workersQuery } from "../api/workers-api.ts";
import { AttemptCard } from "../components/attempt-card.tsx";
import { AttemptChart } from "../components/attempt-chart.tsx";
import { JobActions } from "../components/job-actions.tsx";
import { JobData } from "../components/job-data.tsx";
import { jobProgress } from "../components/job-progress.ts";
import { ProgressBar } from "../components/progress-bar.tsx";
import { AbsoluteTime, RelativeTime } from "../components/relative-time.tsx";
import { addedAtOf, removedFrom } from "../components/removed-job.ts";
import { StageStepper } from "../components/stage-stepper.tsx";
import { EmptyState, ErrorState } from "../components/states.tsx";
import { StatusBadge } from "../components/status-badge.tsx";
import { formatElapsed } from "../format/duration.ts";
import { shortId } from "../format/short-id.ts";
import { formatInstant } from "../format/time.ts";
import { usePollMs } from "../live/live-status.ts";
import { useLive } from "../live/use-live.ts";
import { useNow } from "../live/use-now.ts";
import { useSettings } from "../settings/settings.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Panel } from "../ui/panel.tsx";
import { Skeleton, WhileLoading } from "../ui/skeleton.tsx";

export function JobPage() {
  const { id } = useParams({ from: "/jobs/$id" });
  const pollMs = usePollMs();
  const {
    data: job,
    error,
    isPending,
    refetch,
  } = useQuery({
    ...jobQuery(id),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isFinished(state.data.status) ? false : pollMs,
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

/** An id tells when its job was added, and so whether retention can have taken it. */
function GoneJob({ id }: { readonly id: string }) {
  const now = useNow();
  const { timeZone } = useSettings();
  const retention = useQuery(meQuery).data?.server;
  const addedAt = addedAtOf(id);
  if (addedAt === null || retention === undefined)
    return <EmptyState title={text.job.gone}>{text.job.goneAdvice}</EmptyState>;
  const from = removedFrom(addedAt, retention, now);
  return (
    <EmptyState title={text.job.gone}>
      {from === null
        ? text.job.neverAdded
        : text.job.removed(formatInstant(addedAt, timeZone), formatInstant(from, timeZone))}
    </EmptyState>
  );
}

function LoadedJob({ job }: { readonly job: Job & { readonly etag: string | null } }) {
  const pipeline = useQuery(pipelinesQuery).data?.find(({ name }) => name === job.pipeline);
  const workers = useQuery(workersQuery).data ?? [];
  const known = pipeline?.stages.map(({ name }) => name) ?? [];
  // A job of an older version of its pipeline may stand at a stage that is gone.
  const stages = known.includes(job.stage) ? known : [...known, job.stage];
  const paused = new Set(pipeline?.stages.flatMap(({ name, pausedAt }) => (pausedAt === null ? [] : [name])));
  const workerNames = new Map(workers.map(({ workerId, name }) => [workerId, name]));
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
            <StageStepper job={job} stages={stages} paused={paused} />
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
            <Waiting job={job} />
            {job.attempts.length > 0 && <AttemptChart job={job} stages={stages} />}
          </div>
        </Panel>

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
          <Panel>
            <JobData job={job} />
          </Panel>
          <Facts
            job={job}
            worker={job.workerId === null ? null : (workerNames.get(job.workerId) ?? job.workerId)}
          />
        </div>
      </div>
    </>
  );
}

/** For a job that is not running: why, in the database's own sentences. */
function Waiting({ job }: { readonly job: Job }) {
  const isWaiting = !isFinished(job.status) && job.status !== "processing";
  const { data } = useQuery({ ...explainQuery(job.id), enabled: isWaiting, refetchInterval: 5_000 });
  if (!isWaiting || data === undefined || data.length === 0) return null;
  return (
    <div className="flex gap-2.5 rounded-lg border bg-well px-3 py-2.5">
      <Info size={17} aria-hidden className="mt-0.5 shrink-0 text-primary" />
      <div>
        <h3 className="text-table font-medium">{text.job.why}</h3>
        <ul className="space-y-0.5">
          {data.map(({ reason, explanation }) => (
            <li key={reason}>{explanation}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}

const forcedAfterMs = 30_000;

function CancelNote({ job }: { readonly job: Job }) {
  const now = useNow();
  if (job.cancelRequestedAt === null || job.status !== "processing") return null;
  const leftMs = Date.parse(job.cancelRequestedAt) + forcedAfterMs - now.getTime();
  return (
    <p className="text-cancelled">
      {text.job.cancelRequested} <RelativeTime at={job.cancelRequestedAt} />
      {leftMs > 0 && `, ${text.job.cancelForced(formatElapsed(leftMs))}`}
    </p>
  );
}

function Facts({ job, worker }: { readonly job: Job; readonly worker: string | null }) {
  const facts: [name: string, value: ReactNode][] = [
    [
      text.job.id,
      <span key="id" className="font-mono text-xs break-all">
        {job.id}
      </span>,
    ],
    [text.job.added, <AbsoluteTime key="added" at={job.addedAt} />],
    [
      text.job.scheduledFor,
      job.scheduledFor === null ? null : <AbsoluteTime key="due" at={job.scheduledFor} />,
    ],
    [text.job.claimed, job.claimedAt === null ? null : <AbsoluteTime key="claimed" at={job.claimedAt} />],
    [text.job.finished, job.finishedAt === null ? null : <AbsoluteTime key="finished" at={job.finishedAt} />],
    [text.job.worker, worker],
    [text.job.priority, job.priority],
    [text.job.losses, job.losses === 0 ? null : job.losses],
    [text.job.owner, job.owner],
    [text.job.dedupKey, job.dedupKey],
    [text.job.groupKey, job.groupKey],
    [text.job.batch, job.batchId],
    [text.job.tags, job.tags.length === 0 ? null : job.tags.join(", ")],
  ];
  return (
    <Panel title={text.job.facts}>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-1.5 text-table">
        {facts
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 break-words">{value}</dd>
            </div>
          ))}
      </dl>
    </Panel>
  );
}
