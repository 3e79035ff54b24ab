import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import type { HistoryStep, Pipeline } from "../api/contract.ts";
import { useMay } from "../api/me-api.ts";
import { pipelinesQuery, type Range, waitsQuery } from "../api/pipelines-api.ts";
import { type SummedStep, summedHistory } from "../components/charts/history.ts";
import { HistoryCharts } from "../components/charts/history-charts.tsx";
import { RangeSelect } from "../components/charts/range-select.tsx";
import { JsonViewer } from "../components/job/json-viewer.tsx";
import { BranchLinks } from "../components/pipelines/branch-links.tsx";
import { PipelineSteering } from "../components/pipelines/pipeline-steering.tsx";
import { StageSettings } from "../components/pipelines/stage-settings.tsx";
import { useFunnel } from "../components/pipelines/use-funnel.ts";
import { EmptyState } from "../components/shared/states.tsx";
import { areRead, WhenRead } from "../components/shared/when-read.tsx";
import { formatNumber } from "../format/number.ts";
import { Crumbs } from "../shell/crumbs.tsx";
import { openNewJob } from "../shell/new-job-layer.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { Panel } from "../ui/panel.tsx";
import { Skeleton, SkeletonChart, SkeletonRows } from "../ui/skeleton.tsx";

export function PipelinePage() {
  const { name } = useParams({ from: "/pipelines/$name" });
  const pipelines = useQuery(pipelinesQuery);
  const pipeline = pipelines.data?.find((each) => each.name === name);
  if (pipeline !== undefined) return <LoadedPipeline pipeline={pipeline} />;
  return (
    <>
      <PageHeader title={name} />
      <div className="panel">
        <WhenRead queries={[pipelines]} skeleton={<SkeletonRows />}>
          {() => <EmptyState title={text.pipelines.nothing} />}
        </WhenRead>
      </div>
    </>
  );
}

function LoadedPipeline({ pipeline }: { readonly pipeline: Pipeline }) {
  const { range = "1h" } = useSearch({ from: "/pipelines/$name" });
  const navigate = useNavigate({ from: "/pipelines/$name" });
  const mayAdd = useMay("jobs.add") && pipeline.branchOf === null;
  const waits = useQuery(waitsQuery).data ?? [];
  const { stages, history, queries } = useFunnel(pipeline, range);
  const steps = stepsOf(pipeline, history.data ?? []);
  return (
    <>
      <PageHeader
        tabTitle={pipeline.name}
        title={
          <Crumbs to="/pipelines" parent={text.pipelines.title}>
            {pipeline.name}
          </Crumbs>
        }
        below={
          areRead([history]) ? (
            <Totals steps={steps} range={range} />
          ) : (
            history.error === null && <Skeleton className="h-4 w-72 max-w-full" />
          )
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
          <WhenRead queries={queries} skeleton={<SkeletonRows rows={pipeline.stages.length} />}>
            {() => <PipelineSteering pipeline={pipeline.name} stages={stages} />}
          </WhenRead>
        </Panel>

        <BranchLinks pipeline={pipeline} />

        {areRead([history]) ? (
          <HistoryCharts
            steps={steps}
            range={range}
            waits={waits.filter((wait) => wait.pipeline === pipeline.name)}
          />
        ) : (
          // What went wrong is said above, with another try.
          history.error === null && (
            <Panel title={text.overview.throughput}>
              <SkeletonChart />
            </Panel>
          )
        )}

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
    </>
  );
}

function stepsOf({ stages }: Pipeline, history: readonly HistoryStep[]): SummedStep[] {
  return summedHistory(history, new Set([stages[0]?.name ?? ""]));
}

function Totals({ steps, range }: { readonly steps: readonly SummedStep[]; readonly range: Range }) {
  const total = (name: "added" | "completed" | "failed" | "cancelled") =>
    formatNumber(steps.reduce((sum, step) => sum + step[name], 0));
  return (
    <span className="flex flex-wrap gap-x-3">
      <span>{text.lastRanges[range]}:</span>
      <span>{`${total("added")} ${text.pipelines.added}`}</span>
      <span>{`${total("completed")} ${text.pipelines.completed}`}</span>
      <span>{`${total("failed")} ${text.pipelines.failedWord}`}</span>
      <span>{`${total("cancelled")} ${text.pipelines.cancelled}`}</span>
    </span>
  );
}
