import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { healthQuery } from "../api/health-api.ts";
import { historyQuery, pipelinesQuery, ranges, statsQuery, waitsQuery } from "../api/pipelines-api.ts";
import { workersQuery } from "../api/workers-api.ts";
import { needsAttention } from "../components/attention.ts";
import { AttentionStrip } from "../components/attention-strip.tsx";
import { busiestFirst } from "../components/busiest.ts";
import { funnelOf } from "../components/funnel.ts";
import { FunnelCards } from "../components/funnel-cards.tsx";
import { summedHistory } from "../components/history.ts";
import { HistoryCharts } from "../components/history-charts.tsx";
import { LatestErrors } from "../components/latest-errors.tsx";
import { oldestWait, waitedMs } from "../components/oldest-wait.ts";
import { OverviewNumbers } from "../components/overview-numbers.tsx";
import { ProcessingNow } from "../components/processing-now.tsx";
import { RangeSelect } from "../components/range-select.tsx";
import { EmptyState } from "../components/states.tsx";
import { areRead, WhenRead } from "../components/when-read.tsx";
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
  const pipelines = useQuery(pipelinesQuery);
  const stats = useQuery(statsQuery);
  const workers = useQuery(workersQuery);
  const first = [pipelines, stats, workers];
  return (
    <>
      <PageHeader title={text.overview.title}>
        <RangeSelect range={range} onChange={(next) => void navigate({ search: { range: next } })} />
      </PageHeader>
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
  const pipelines = useQuery(pipelinesQuery).data ?? [];
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
  const [main] = busiest;
  const [mainHistory] = histories;
  const oldest = oldestWait(waits);
  return (
    <div className="space-y-4">
      <AttentionStrip attention={needsAttention({ pipelines, stats, workers, health, now })} />
      <OverviewNumbers
        {...{ stats, waits, workers, range, now }}
        steps={areRead(histories) ? steps : null}
        hasFailed={histories.some(({ error }) => error !== null)}
      />
      {areRead(histories) ? (
        <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
          <HistoryCharts
            steps={steps}
            range={range}
            oldestMs={oldest === null ? null : waitedMs(oldest, now)}
          />
        </div>
      ) : (
        <Panel title={text.overview.throughput}>
          <WhenRead queries={histories} skeleton={<SkeletonChart />}>
            {() => null}
          </WhenRead>
        </Panel>
      )}
      {main !== undefined && mainHistory !== undefined && (
        <Panel
          title={text.overview.busiest(main.name, text.ranges[range])}
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
