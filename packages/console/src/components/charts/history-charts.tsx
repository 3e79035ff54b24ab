import type { StageWait } from "../../api/contract.ts";
import type { Range } from "../../api/pipelines-api.ts";
import { formatDuration } from "../../format/duration.ts";
import { formatNumber, formatRate } from "../../format/number.ts";
import { useNow } from "../../live/use-now.ts";
import { text } from "../../text/text.ts";
import { oldestWait, waitedMs } from "../overview/oldest-wait.ts";
import type { SummedStep } from "./history.ts";
import { TimeSeries } from "./time-series.tsx";

export interface HistoryChartsProps {
  readonly steps: readonly SummedStep[];
  readonly range: Range;
  /** What is pending now, of all that the charts are about. */
  readonly waits: readonly StageWait[];
}

/** What was done, and how long it took: beside each other where there is room. */
export function HistoryCharts({ steps, range, waits }: HistoryChartsProps) {
  const now = useNow();
  const oldest = oldestWait(waits);
  const oldestMs = oldest === null ? null : waitedMs(oldest, now);
  const times = steps.map(({ at }) => at);
  const total = (name: "completed" | "failed") =>
    formatNumber(steps.reduce((sum, step) => sum + step[name], 0));
  const last = steps.findLast(({ waitP95Ms }) => waitP95Ms !== null);
  return (
    <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
      <TimeSeries
        title={text.overview.throughput}
        sentence={text.overview.throughputSentence(
          total("completed"),
          total("failed"),
          text.lastRanges[range],
        )}
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
        sentence={text.overview.waitsSentence(said(last?.waitP95Ms), said(last?.runP95Ms), said(oldestMs))}
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
          // Percentiles go quiet exactly when a stage is stuck: what waits now is drawn over them, as a level.
          ...(oldestMs === null
            ? []
            : [
                {
                  name: text.overview.oldestSeries,
                  kind: "dashes" as const,
                  colour: "text-retrying",
                  values: steps.map(() => Math.max(1, oldestMs)),
                },
              ]),
        ]}
      />
    </div>
  );
}

function said(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? text.common.none.toLowerCase() : formatDuration(ms);
}
