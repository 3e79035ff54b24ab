import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { CircleCheck, TriangleAlert } from "lucide-react";
import type { HistoryStep, Pipeline, StageCount, Worker } from "../api/contract.ts";
import { errorsQuery } from "../api/errors-api.ts";
import { healthQuery } from "../api/health-api.ts";
import { jobsQuery } from "../api/jobs-api.ts";
import { useMay } from "../api/me-api.ts";
import { historyQuery, pipelinesQuery, type Range, ranges, statsQuery } from "../api/pipelines-api.ts";
import { workersQuery } from "../api/workers-api.ts";
import { needsAttention } from "../components/attention.ts";
import { funnelOf, reportsOf } from "../components/funnel.ts";
import { FunnelCards } from "../components/funnel-cards.tsx";
import { ratePerMinute, type SummedStep, summedHistory } from "../components/history.ts";
import { jobProgress } from "../components/job-progress.ts";
import { NumberTile } from "../components/number-tile.tsx";
import { ProgressBar } from "../components/progress-bar.tsx";
import { RangeSelect } from "../components/range-select.tsx";
import { Duration, RelativeTime } from "../components/relative-time.tsx";
import { Sparkline } from "../components/sparkline.tsx";
import { EmptyState, ErrorState } from "../components/states.tsx";
import { TimeSeries } from "../components/time-series.tsx";
import { UtilisationBar } from "../components/utilisation-bar.tsx";
import { workerState } from "../components/worker-state.ts";
import { formatDuration } from "../format/duration.ts";
import { formatNumber, formatRate } from "../format/number.ts";
import { shortId } from "../format/short-id.ts";
import { usePollMs } from "../live/live-status.ts";
import { useLive } from "../live/use-live.ts";
import { useNow } from "../live/use-now.ts";
import { openNewJob } from "../shell/new-job-layer.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { Panel } from "../ui/panel.tsx";
import { SkeletonRows, WhileLoading } from "../ui/skeleton.tsx";

/** Of more pipelines only the busiest are drawn: a page asks a bounded number of questions. */
const drawnPipelines = 12;

export function OverviewPage() {
  const { range = "1h" } = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const now = useNow();
  const pipelines = useQuery(pipelinesQuery);
  const stats = useQuery(statsQuery).data ?? [];
  const workers = useQuery(workersQuery).data ?? [];
  const health = useQuery(healthQuery).data;

  const busiest = byLoad(pipelines.data ?? [], stats);
  const histories = useQueries({
    queries: busiest.slice(0, drawnPipelines).map(({ name }) => historyQuery(name, range)),
  });
  const first = new Set(busiest.map(({ stages }) => stages[0]?.name ?? ""));
  const steps = summedHistory(
    histories.flatMap(({ data }) => data ?? []),
    first,
  );
  const [main] = busiest;
  const attention = needsAttention({ pipelines: pipelines.data ?? [], stats, workers, health, now });

  if (pipelines.data === undefined) {
    return (
      <>
        <PageHeader title={text.overview.title} />
        <div className="panel">
          {pipelines.isPending ? (
            <WhileLoading>
              <SkeletonRows />
            </WhileLoading>
          ) : (
            <ErrorState error={pipelines.error} onRetry={() => void pipelines.refetch()} />
          )}
        </div>
      </>
    );
  }
  return (
    <>
      <PageHeader title={text.overview.title}>
        <RangeSelect range={range} onChange={(next) => void navigate({ search: { range: next } })} />
      </PageHeader>
      {main === undefined ? (
        <div className="panel">
          <EmptyState title={text.overview.noPipelines} command={text.workers.command}>
            {text.overview.noPipelinesAdvice}
          </EmptyState>
        </div>
      ) : (
        <div className="space-y-4">
          <AttentionStrip attention={attention} />
          <Numbers stats={stats} workers={workers} steps={steps} range={range} now={now} />
          <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
            <Charts steps={steps} range={range} />
          </div>
          <Funnel
            pipeline={main}
            stats={stats}
            workers={workers}
            history={histories[0]?.data ?? []}
            range={range}
          />
          <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
            <LatestErrors />
            <ProcessingNow pipelines={pipelines.data} workers={workers} />
          </div>
        </div>
      )}
    </>
  );
}

function AttentionStrip({ attention }: { readonly attention: readonly { sentence: string; to: string }[] }) {
  if (attention.length === 0) {
    return (
      <p className="flex items-center gap-2 text-table text-completed">
        <CircleCheck size={16} aria-hidden /> {text.overview.allWell}
      </p>
    );
  }
  return (
    <section
      aria-label={text.overview.attention(attention.length)}
      className="panel border-retrying/60 px-4 py-2.5"
    >
      <h2 className="flex items-center gap-2 font-medium text-retrying">
        <TriangleAlert size={16} aria-hidden /> {text.overview.attention(attention.length)}
      </h2>
      <ul className="mt-1 flex flex-wrap gap-x-6 gap-y-0.5 pl-6">
        {attention.slice(0, 6).map(({ sentence, to }) => (
          <li key={sentence}>
            <Link to={to} className="underline decoration-line underline-offset-4 hover:decoration-current">
              {sentence}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface NumbersProps {
  readonly stats: readonly StageCount[];
  readonly workers: readonly Worker[];
  readonly steps: readonly SummedStep[];
  readonly range: Range;
  readonly now: Date;
}

function Numbers({ stats, workers, steps, range, now }: NumbersProps) {
  const { stepMs } = ranges[range];
  const sum = (status: string) =>
    stats.filter((each) => each.status === status).reduce((total, { jobs }) => total + jobs, 0);
  const reports = workers.filter(({ isAlive }) => isAlive).flatMap(reportsOf);
  const processors = reports.reduce((total, { busy, idle, error }) => total + busy + idle + error, 0);
  const lost = workers.filter((worker) => workerState(worker, now) === "lost").length;
  const completed = steps.map((step) => step.completed);
  const failed = steps.map((step) => step.failed);
  const failedRate = ratePerMinute(failed, stepMs);
  const recentWaits = steps.slice(-6).flatMap(({ waitP95Ms }) => waitP95Ms ?? []);
  const spark = (values: readonly number[], label: string, colour: string) => (
    <Sparkline values={values.slice(0, -1)} label={label} className={`h-6 w-full ${colour}`} />
  );
  return (
    <dl className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <NumberTile
        name={text.overview.pending}
        value={formatNumber(sum("pending"))}
        note={
          sum("retrying") > 0
            ? `+${formatNumber(sum("retrying"))} ${text.status.retrying.toLowerCase()}`
            : undefined
        }
        chart={spark(
          steps.map(({ added }) => added),
          text.pipelines.added,
          "text-pending",
        )}
      />
      <NumberTile
        name={text.overview.processing}
        value={formatNumber(sum("processing"))}
        note={processors > 0 ? text.overview.ofProcessors(processors) : undefined}
        chart={
          <UtilisationBar busy={reports.reduce((total, { busy }) => total + busy, 0)} all={processors} />
        }
      />
      <NumberTile
        name={text.overview.completedPerMinute}
        value={formatRate(ratePerMinute(completed, stepMs))}
        note={text.overview.lastMinutes}
        chart={spark(completed, text.overview.completedPerMinute, "text-completed")}
      />
      <NumberTile
        name={text.overview.failedPerMinute}
        value={formatRate(failedRate)}
        note={text.overview.lastMinutes}
        {...(failedRate > 0 ? { colour: "text-failed" } : {})}
        chart={spark(failed, text.overview.failedPerMinute, "text-failed")}
      />
      <NumberTile
        name={text.overview.oldestPending}
        value={recentWaits.length === 0 ? "–" : formatDuration(Math.max(...recentWaits))}
        chart={spark(
          steps.map(({ waitP95Ms }) => waitP95Ms ?? 0),
          text.overview.waitSeries,
          "text-scheduled",
        )}
      />
      <NumberTile
        name={text.overview.workers}
        value={formatNumber(workers.length - lost)}
        note={
          lost > 0 ? (
            <span className="text-failed">{text.overview.lostWorkers(lost)}</span>
          ) : (
            text.overview.liveWorkers
          )
        }
      />
    </dl>
  );
}

function Charts({ steps, range }: { readonly steps: readonly SummedStep[]; readonly range: Range }) {
  const times = steps.map(({ at }) => at);
  const total = (name: "completed" | "failed") =>
    formatNumber(steps.reduce((sum, step) => sum + step[name], 0));
  const last = steps.findLast(({ waitP95Ms }) => waitP95Ms !== null);
  return (
    <>
      <TimeSeries
        title={text.overview.throughput}
        sentence={text.overview.throughputSentence(total("completed"), total("failed"), text.ranges[range])}
        times={times}
        format={formatRate}
        series={[
          {
            name: text.overview.completedSeries,
            kind: "bars",
            colour: "text-completed",
            values: steps.map(({ completed }) => completed),
          },
          {
            name: text.overview.failedSeries,
            kind: "bars",
            colour: "text-failed",
            isHatched: true,
            values: steps.map(({ failed }) => failed),
          },
        ]}
      />
      <TimeSeries
        title={text.overview.waits}
        sentence={text.overview.waitsSentence(
          formatDuration(last?.waitP95Ms ?? 0),
          formatDuration(last?.runP95Ms ?? 0),
        )}
        times={times}
        format={formatDuration}
        isLog
        series={[
          {
            name: text.overview.waitSeries,
            kind: "line",
            colour: "text-scheduled",
            values: steps.map(({ waitP95Ms }) => waitP95Ms),
          },
          {
            name: text.overview.runSeries,
            kind: "line",
            colour: "text-processing",
            values: steps.map(({ runP95Ms }) => runP95Ms),
          },
        ]}
      />
    </>
  );
}

interface FunnelProps {
  readonly pipeline: Pipeline;
  readonly stats: readonly StageCount[];
  readonly workers: readonly Worker[];
  readonly history: readonly HistoryStep[];
  readonly range: Range;
}

function Funnel({ pipeline, stats, workers, history, range }: FunnelProps) {
  const stages = funnelOf({ pipeline, stats, workers, history, spanMs: ranges[range].spanMs });
  return (
    <Panel
      title={text.overview.busiest(pipeline.name, text.ranges[range])}
      aside={
        <Link
          to="/pipelines/$name"
          params={{ name: pipeline.name }}
          className="rounded text-primary hover:underline"
        >
          {text.common.open}
        </Link>
      }
    >
      <FunnelCards pipeline={pipeline.name} stages={stages} />
    </Panel>
  );
}

function LatestErrors() {
  const { data, error, refetch } = useQuery(errorsQuery);
  const groups = data?.slice(0, 6) ?? [];
  return (
    <Panel
      title={text.overview.latestErrors}
      aside={
        <Link to="/errors" className="rounded text-primary hover:underline">
          {text.common.all}
        </Link>
      }
      isFlush
    >
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : groups.length === 0 ? (
        <p className="px-4 pb-4 text-muted">{text.overview.noErrors}</p>
      ) : (
        <ul className="divide-y border-t">
          {groups.map((group) => (
            <li key={group.fingerprint} className="flex items-baseline gap-3 px-4 py-2 text-table">
              <Link
                to="/jobs"
                search={{ status: "failed", filter: `error:${group.fingerprint}` }}
                className="min-w-0 flex-1 truncate hover:underline"
                title={group.message ?? undefined}
              >
                <b className="font-medium text-failed">{group.name ?? text.errorsPage.unnamed}</b>{" "}
                {group.message}
              </Link>
              <span className="hidden max-w-40 truncate text-muted sm:block">{group.stage}</span>
              <span className="font-medium">{formatNumber(group.jobs)}×</span>
              <span className="w-16 text-right text-xs text-muted">
                <RelativeTime at={group.lastAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function ProcessingNow({
  pipelines,
  workers,
}: {
  readonly pipelines: readonly Pipeline[];
  readonly workers: readonly Worker[];
}) {
  const mayAdd = useMay("jobs.add");
  const pollMs = usePollMs();
  const { data } = useQuery({
    ...jobsQuery({ filter: "status:processing", sort: "claimedAt", limit: 6 }),
    refetchInterval: pollMs || 3_000,
  });
  const jobs = (data?.data ?? []).filter(({ status }) => status === "processing");
  useLive({ topics: [], watch: jobs.map(({ id }) => id) });
  const stages = new Map(
    pipelines.map((pipeline) => [pipeline.name, pipeline.stages.map(({ name }) => name)]),
  );
  const names = new Map(workers.map(({ workerId, name }) => [workerId, name]));
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
      {jobs.length === 0 ? (
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
          {jobs.map((job) => {
            const progress = jobProgress(job, stages.get(job.pipeline) ?? []);
            return (
              <li key={job.id} className="flex items-center gap-3 px-4 py-2 text-table">
                <Link
                  to="/jobs/$id"
                  params={{ id: job.id }}
                  className="font-mono text-xs text-primary hover:underline"
                >
                  {shortId(job.id)}
                </Link>
                <span className="min-w-0 flex-1 truncate">{job.stage}</span>
                <span className="hidden max-w-32 truncate text-muted md:block">
                  {job.workerId === null ? "" : (names.get(job.workerId) ?? "")}
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
                <span className="w-14 text-right text-xs text-muted">
                  {job.claimedAt !== null && <Duration from={job.claimedAt} />}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}

/** The pipeline with the most to do first; of those with nothing to do, the one that has done most. */
function byLoad(pipelines: readonly Pipeline[], stats: readonly StageCount[]): Pipeline[] {
  const load = (name: string, wanted: readonly string[]) =>
    stats
      .filter(({ pipeline, status }) => pipeline === name && wanted.includes(status))
      .reduce((sum, { jobs }) => sum + jobs, 0);
  const score = ({ name }: Pipeline) => [
    load(name, ["pending", "processing", "retrying"]),
    load(name, ["completed"]),
  ];
  return [...pipelines].sort((one, other) => {
    const [live = 0, done = 0] = score(one);
    const [otherLive = 0, otherDone = 0] = score(other);
    return otherLive - live || otherDone - done || one.name.localeCompare(other.name);
  });
}
