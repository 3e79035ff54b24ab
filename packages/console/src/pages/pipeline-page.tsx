import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Plus, RotateCw } from "lucide-react";
import { useState } from "react";
import type { BulkStart } from "../api/bulk-api.ts";
import type { Pipeline, Stage } from "../api/contract.ts";
import { useMay } from "../api/me-api.ts";
import {
  historyQuery,
  pauseStage,
  pipelinesQuery,
  ranges,
  resumeStage,
  statsQuery,
} from "../api/pipelines-api.ts";
import { workersQuery } from "../api/workers-api.ts";
import { BulkDialog } from "../components/bulk-dialog.tsx";
import { ConfirmDialog } from "../components/confirm-dialog.tsx";
import { type FunnelStage, funnelOf } from "../components/funnel.ts";
import { summedHistory } from "../components/history.ts";
import { JsonViewer } from "../components/json-viewer.tsx";
import { RangeSelect } from "../components/range-select.tsx";
import { StageCards } from "../components/stage-cards.tsx";
import { StageFunnel } from "../components/stage-funnel.tsx";
import { EmptyState } from "../components/states.tsx";
import { tellFailure } from "../components/tell-failure.ts";
import { TimeSeries } from "../components/time-series.tsx";
import { formatDuration } from "../format/duration.ts";
import { formatNumber, formatRate } from "../format/number.ts";
import { openNewJob } from "../shell/new-job-layer.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { useMedia } from "../shell/use-media.ts";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { Panel } from "../ui/panel.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { SkeletonRows, WhileLoading } from "../ui/skeleton.tsx";
import { toast } from "../ui/toasts.ts";

export function PipelinePage() {
  const { name } = useParams({ from: "/pipelines/$name" });
  const { data: pipelines, isPending } = useQuery(pipelinesQuery);
  const pipeline = pipelines?.find((each) => each.name === name);
  if (pipeline !== undefined) return <LoadedPipeline pipeline={pipeline} />;
  return (
    <>
      <PageHeader title={name} />
      <div className="panel">
        {isPending ? (
          <WhileLoading>
            <SkeletonRows />
          </WhileLoading>
        ) : (
          <EmptyState title={text.pipelines.nothing} />
        )}
      </div>
    </>
  );
}

function LoadedPipeline({ pipeline }: { readonly pipeline: Pipeline }) {
  const { range = "1h" } = useSearch({ from: "/pipelines/$name" });
  const navigate = useNavigate({ from: "/pipelines/$name" });
  const stats = useQuery(statsQuery).data ?? [];
  const workers = useQuery(workersQuery).data ?? [];
  const history = useQuery(historyQuery(pipeline.name, range)).data ?? [];
  const mayAdd = useMay("jobs.add");
  const mayPause = useMay("stages.pause");
  const mayRetry = useMay("jobs.retry");
  const Funnel = useMedia("(max-width: 47.99rem)") ? StageCards : StageFunnel;
  const [pausing, setPausing] = useState<string | null>(null);
  const [bulk, setBulk] = useState<BulkStart | null>(null);
  const steer = useSteering(pipeline.name);

  const stages = funnelOf({ pipeline, stats, workers, history, spanMs: ranges[range].spanMs });
  const steps = summedHistory(history, new Set([pipeline.stages[0]?.name ?? ""]));
  const total = (name: "added" | "completed" | "failed" | "cancelled") =>
    formatNumber(steps.reduce((sum, step) => sum + step[name], 0));
  const failing = stages.filter(({ failed }) => failed > 0);

  return (
    <>
      <PageHeader
        tabTitle={pipeline.name}
        title={
          <span className="flex flex-wrap items-baseline gap-x-2">
            <Link to="/pipelines" className="font-normal text-muted hover:underline">
              {text.pipelines.title}
            </Link>
            <span aria-hidden className="font-normal text-muted">
              /
            </span>
            {pipeline.name}
          </span>
        }
        below={
          <span className="flex flex-wrap gap-x-3">
            <span>{text.pipelines.inRange(text.ranges[range])}:</span>
            <span>{`${total("added")} ${text.pipelines.added}`}</span>
            <span>{`${total("completed")} ${text.pipelines.completed}`}</span>
            <span>{`${total("failed")} ${text.pipelines.failedWord}`}</span>
            <span>{`${total("cancelled")} ${text.pipelines.cancelled}`}</span>
          </span>
        }
      >
        <RangeSelect range={range} onChange={(next) => void navigate({ search: { range: next } })} />
        {mayAdd && (
          <Button look="primary" onClick={() => openNewJob({ pipeline: pipeline.name })}>
            <Plus size={16} aria-hidden /> {text.jobs.add}
          </Button>
        )}
      </PageHeader>

      <div className="space-y-4">
        <Panel isFlush>
          <Funnel
            pipeline={pipeline.name}
            stages={stages}
            onPause={
              mayPause
                ? (stage, isPaused) => (isPaused ? setPausing(stage) : steer.mutate({ stage, isPaused }))
                : null
            }
          />
          <BottleneckLine stages={stages} />
          {mayRetry && failing.length > 0 && (
            <div className="flex flex-wrap items-center gap-2 border-t px-4 py-2">
              {failing.map(({ name, failed }) => (
                <Button
                  key={name}
                  size="small"
                  onClick={() =>
                    setBulk({
                      action: "retry",
                      filter: `status:failed pipeline:${pipeline.name} stage:${name}`,
                    })
                  }
                >
                  <RotateCw size={13} aria-hidden /> {text.pipelines.retryFailed(formatNumber(failed))}
                  <span className="text-muted">{name}</span>
                </Button>
              ))}
            </div>
          )}
        </Panel>

        <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
          <TimeSeries
            title={text.overview.throughput}
            sentence={text.overview.throughputSentence(
              total("completed"),
              total("failed"),
              text.ranges[range],
            )}
            times={steps.map(({ at }) => at)}
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
              said(steps.at(-1)?.waitP95Ms),
              said(steps.at(-1)?.runP95Ms),
            )}
            times={steps.map(({ at }) => at)}
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
        </div>

        <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
          <Panel title={text.pipelines.settings} isFlush>
            <StageSettings stages={pipeline.stages} />
          </Panel>
          <Panel title={text.pipelines.schema}>
            {pipeline.payloadSchema === null ? (
              <p className="text-muted">{text.pipelines.noSchema}</p>
            ) : (
              <JsonViewer value={pipeline.payloadSchema} label={text.pipelines.schema} />
            )}
          </Panel>
        </div>
      </div>

      {pausing !== null && (
        <ConfirmDialog
          title={text.pipelines.pauseTitle(pausing)}
          confirm={text.pipelines.pause}
          isBusy={steer.isPending}
          onClose={() => setPausing(null)}
          onConfirm={() =>
            steer.mutate({ stage: pausing, isPaused: true }, { onSettled: () => setPausing(null) })
          }
        >
          <p>{text.pipelines.pauseWarning}</p>
        </ConfirmDialog>
      )}
      {bulk !== null && (
        <BulkDialog start={bulk} onClose={() => setBulk(null)} onStarted={() => setBulk(null)} />
      )}
    </>
  );
}

function useSteering(pipeline: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ stage, isPaused }: { stage: string; isPaused: boolean }) =>
      isPaused ? pauseStage(pipeline, stage) : resumeStage(pipeline, stage),
    onSuccess: (_, { stage, isPaused }) => {
      toast(
        isPaused
          ? { kind: "done", message: text.pipelines.pausedToast(stage), detail: text.pipelines.pausedDetail }
          : { kind: "done", message: text.pipelines.resumedToast(stage) },
      );
      void client.invalidateQueries({ queryKey: pipelinesQuery.queryKey });
    },
    onError: tellFailure,
  });
}

function BottleneckLine({ stages }: { readonly stages: readonly FunnelStage[] }) {
  const stage = stages.find(({ isBottleneck }) => isBottleneck);
  if (stage === undefined) return null;
  const { busy, idle, error } = stage.processors;
  const grows = stage.growthPerMinute >= 0.5;
  return (
    <p className="border-t px-4 py-2 text-table text-retrying">
      {grows
        ? text.pipelines.bottleneckGrows(stage.name, formatRate(stage.growthPerMinute))
        : text.pipelines.bottleneckWaits(stage.name, formatNumber(stage.pending), busy + idle + error)}
    </p>
  );
}

function StageSettings({ stages }: { readonly stages: readonly Stage[] }) {
  const head = "px-3 py-1.5 text-left text-xs font-medium text-muted first:pl-4";
  const cell = "px-3 py-1.5 align-top first:pl-4";
  return (
    <ScrollRegion label={text.pipelines.settings} className="overflow-x-auto pb-2">
      <table className="w-full text-table">
        <thead>
          <tr className="border-b">
            <th scope="col" className={head}>
              {text.pipelines.stage}
            </th>
            <th scope="col" className={head}>
              {text.pipelines.maxAttempts}
            </th>
            <th scope="col" className={head}>
              {text.pipelines.timeout}
            </th>
            <th scope="col" className={head}>
              {text.pipelines.retry}
            </th>
            <th scope="col" className={head}>
              {text.pipelines.limits}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {stages.map((stage) => (
            <tr key={stage.name}>
              <th scope="row" className={`${cell} text-left font-medium`}>
                {stage.name}
              </th>
              <td className={cell}>{stage.maxAttempts}</td>
              <td className={cell}>
                {stage.timeoutMs === null ? text.pipelines.noTimeout : formatDuration(stage.timeoutMs)}
              </td>
              <td className={cell}>
                {text.pipelines.retryOf(
                  stage.retry.kind,
                  formatDuration(stage.retry.baseMs),
                  formatDuration(stage.retry.capMs),
                )}
              </td>
              <td className={cell}>{limitsOf(stage)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function limitsOf({ concurrency, groupConcurrency, rate }: Stage): string {
  const limits = [
    concurrency === undefined ? null : text.pipelines.concurrency(concurrency),
    groupConcurrency === undefined ? null : text.pipelines.groupConcurrency(groupConcurrency),
    rate === undefined ? null : text.pipelines.rate(rate.jobs, formatDuration(rate.perMs)),
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? text.pipelines.noLimits : limits.join(", ");
}

function said(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? text.common.none.toLowerCase() : formatDuration(ms);
}
