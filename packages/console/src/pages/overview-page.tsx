import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { healthQuery } from "../api/health-api.ts";
import { historyQuery, ranges, statsQuery, waitsQuery, wholePipelinesQuery } from "../api/pipelines-api.ts";
import { workersQuery } from "../api/workers-api.ts";
import { summedHistory } from "../components/charts/history.ts";
import { HistoryCharts } from "../components/charts/history-charts.tsx";
import { RangeSelect } from "../components/charts/range-select.tsx";
import { ApplicationLinks } from "../components/overview/application-links.tsx";
import { needsAttention } from "../components/overview/attention.ts";
import { AttentionStrip } from "../components/overview/attention-strip.tsx";
import { busiestFirst } from "../components/overview/busiest.ts";
import { LatestErrors } from "../components/overview/latest-errors.tsx";
import { OverviewNumbers } from "../components/overview/overview-numbers.tsx";
import { ProcessingNow } from "../components/overview/processing-now.tsx";
import { funnelOf } from "../components/pipelines/funnel.ts";
import { FunnelCards } from "../components/pipelines/funnel-cards.tsx";
import { EmptyState } from "../components/shared/states.tsx";
import { areRead, WhenRead } from "../components/shared/when-read.tsx";
import { useNow } from "../live/use-now.ts";
import { PageHeader } from "../shell/page-header.tsx";
import { text } from "../text/text.ts";
import { Panel } from "../ui/panel.tsx";
import { SkeletonChart, SkeletonRows } from "../ui/skeleton.tsx";

/** Of more pipelines only the busiest are drawn: a page asks a bounded number of questions. */
const drawnPipelines = 12;

export function OverviewPage() {
  const { range = "1h" } = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  const pipelines = useQuery(wholePipelinesQuery);
  const stats = useQuery(statsQuery);
  const workers = useQuery(workersQuery);
  const first = [pipelines, stats, workers];
  return (
    <>
      <PageHeader title={text.overview.title}>
        <RangeSelect range={range} onChange={(next) => void navigate({ search: { range: next } })} />
      </PageHeader>
      <ApplicationLinks />
      {areRead(first) && pipelines.data?.length !== 0 ? (
        <Numbers />
      ) : (
        <div className="panel">
          <WhenRead queries={first} skeleton={<SkeletonRows />}>
            {() => (
              <EmptyState title={text.overview.noPipelines} command={text.workers.command}>
                {text.overview.noPipelinesAdvice}
              </EmptyState>
            )}
          </WhenRead>
        </div>
      )}
    </>
  );
}

/** Once it is known what there is. Each part waits for its own answer, and fails alone. */
function Numbers() {
  const { range = "1h" } = useSearch({ from: "/" });
  const now = useNow();
  const pipelines = useQuery(wholePipelinesQuery).data ?? [];
  const stats = useQuery(statsQuery).data ?? [];
  const waits = useQuery(waitsQuery).data ?? [];
  const workers = useQuery(workersQuery).data ?? [];
  const health = useQuery(healthQuery).data;
  const busiest = busiestFirst(pipelines, stats);
  const histories = useQueries({
    queries: busiest.slice(0, drawnPipelines).map(({ name }) => historyQuery(name, range)),
  });
  const firstStages = new Set(busiest.map(({ stages }) => stages[0]?.name ?? ""));
  const steps = summedHistory(
    histories.flatMap(({ data }) => data ?? []),
    firstStages,
  );
  const failed = areRead(histories) ? steps.reduce((sum, step) => sum + step.failed, 0) : null;
  const [main] = busiest;
  const [mainHistory] = histories;
  return (
    <div className="space-y-4">
      <AttentionStrip attention={needsAttention({ pipelines, stats, workers, health, failed, now })} />
      <OverviewNumbers
        {...{ stats, waits, workers, range, now }}
        steps={areRead(histories) ? steps : null}
        hasFailed={histories.some(({ error }) => error !== null)}
      />
      {areRead(histories) ? (
        <HistoryCharts steps={steps} range={range} waits={waits} />
      ) : (
        <Panel title={text.overview.throughput}>
          <WhenRead queries={histories} skeleton={<SkeletonChart />}>
            {() => null}
          </WhenRead>
        </Panel>
      )}
      {main !== undefined && mainHistory !== undefined && (
        <Panel
          title={text.overview.busiest(main.name, text.lastRanges[range])}
          aside={
            <Link
              to="/pipelines/$name"
              params={{ name: main.name }}
              className="rounded text-primary hover:underline"
            >
              {text.common.open}
            </Link>
          }
        >
          <WhenRead queries={[mainHistory]} skeleton={<SkeletonRows rows={1} />}>
            {() => (
              <FunnelCards
                pipeline={main.name}
                stages={funnelOf({
                  ...{ pipeline: main, stats, waits, workers },
                  history: mainHistory.data ?? [],
                  spanMs: ranges[range].spanMs,
                })}
              />
            )}
          </WhenRead>
        </Panel>
      )}
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <LatestErrors />
        <ProcessingNow pipelines={pipelines} workers={workers} />
      </div>
    </div>
  );
}
