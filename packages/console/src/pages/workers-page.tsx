import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Pipeline, Worker } from "../api/contract.ts";
import { pipelinesQuery } from "../api/pipelines-api.ts";
import { workersQuery } from "../api/workers-api.ts";
import { servedBy } from "../components/pipelines/funnel.ts";
import { EmptyState, ErrorState } from "../components/shared/states.tsx";
import { ProcessorGrid } from "../components/workers/processor-grid.tsx";
import { WorkerCard } from "../components/workers/worker-card.tsx";
import { inOrder, workerState } from "../components/workers/worker-state.ts";
import { useNow } from "../live/use-now.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Panel } from "../ui/panel.tsx";
import { SkeletonRows, WhileLoading } from "../ui/skeleton.tsx";

export function WorkersPage() {
  const now = useNow();
  const [isTroubleOnly, setTroubleOnly] = useState(false);
  const { data: workers, isPending, error, refetch } = useQuery(workersQuery);
  const pipelines = useQuery(pipelinesQuery).data ?? [];

  if (workers === undefined) {
    return (
      <>
        <PageHeader title={text.workers.title} />
        <div className="panel">
          {isPending ? (
            <WhileLoading>
              <SkeletonRows />
            </WhileLoading>
          ) : (
            <ErrorState error={error} onRetry={() => void refetch()} />
          )}
        </div>
      </>
    );
  }
  const live = workers.filter((worker) => workerState(worker, now) !== "lost").length;
  const shown = inOrder(workers, now).filter(
    (worker) => !isTroubleOnly || workerState(worker, now) !== "live",
  );
  return (
    <>
      <PageHeader
        title={text.workers.title}
        below={workers.length > 0 && text.workers.summary(live, workers.length - live)}
      >
        {workers.length > 0 && (
          <label className="flex h-8 items-center gap-2">
            <input
              type="checkbox"
              className="size-4 accent-(--primary)"
              checked={isTroubleOnly}
              onChange={(event) => setTroubleOnly(event.target.checked)}
            />
            {text.workers.onlyTrouble}
          </label>
        )}
      </PageHeader>
      <div className="space-y-4">
        {workers.length === 0 ? (
          <div className="panel">
            <EmptyState title={text.workers.none} command={text.workers.command}>
              {text.workers.noneAdvice}
            </EmptyState>
          </div>
        ) : (
          <StageProcessors pipelines={pipelines} workers={workers} />
        )}
        {shown.map((worker) => (
          <WorkerCard key={worker.workerId} worker={worker} />
        ))}
        {isTroubleOnly && shown.length === 0 && <p className="text-muted">{text.workers.noTrouble}</p>}
      </div>
    </>
  );
}

function StageProcessors({
  pipelines,
  workers,
}: {
  readonly pipelines: readonly Pipeline[];
  readonly workers: readonly Worker[];
}) {
  const rows = pipelines.flatMap(({ name, stages }) =>
    stages.map((stage) => ({ pipeline: name, stage: stage.name, ...servedBy(workers, name, stage.name) })),
  );
  const all = rows.reduce((sum, { processors: { busy, idle, error } }) => sum + busy + idle + error, 0);
  const busy = rows.reduce((sum, { processors }) => sum + processors.busy, 0);
  return (
    <Panel
      title={text.workers.stages}
      aside={
        <>
          <span>{text.workers.busy(busy, all)}</span>
          <Legend />
        </>
      }
    >
      <ul className="grid grid-cols-1 gap-x-8 gap-y-2 text-table lg:grid-cols-2">
        {rows.map(({ pipeline, stage, processors, workers: count }) => (
          <li
            key={`${pipeline}/${stage}`}
            className="flex items-center justify-between gap-x-4 gap-y-1 max-sm:flex-col max-sm:items-start"
          >
            <span className="max-w-full min-w-0 truncate text-muted">
              {pipeline} / <span className="text-ink">{stage}</span>
            </span>
            {count === 0 ? (
              <span className="text-failed">{text.workers.noLive}</span>
            ) : (
              <div className="max-w-full shrink-0 sm:max-w-[70%]">
                <ProcessorGrid processors={processors} label={`${pipeline} / ${stage}`} />
              </div>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Legend() {
  return (
    <span aria-hidden className="hidden items-center gap-3 sm:flex">
      <span className="flex items-center gap-1.5">
        <span className="size-3 rounded-[3px] bg-processing" /> {text.workers.legendBusy}
      </span>
      <span className="flex items-center gap-1.5">
        <span className="size-3 rounded-[3px] border border-edge/70" /> {text.workers.legendIdle}
      </span>
      <span className="flex items-center gap-1.5">
        <span className="flex size-3 items-center justify-center rounded-[3px] border border-failed text-[8px] font-bold text-failed">
          ✕
        </span>{" "}
        {text.workers.legendError}
      </span>
    </span>
  );
}
