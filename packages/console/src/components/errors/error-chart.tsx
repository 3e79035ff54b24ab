import { useQuery } from "@tanstack/react-query";
import type { ErrorKind } from "../../api/contract.ts";
import { errorHistoryQuery } from "../../api/errors-api.ts";
import { type Range, ranges } from "../../api/pipelines-api.ts";
import { formatFull, formatRate } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { Panel } from "../../ui/panel.tsx";
import { SkeletonChart } from "../../ui/skeleton.tsx";
import { TimeSeries } from "../charts/time-series.tsx";
import { WhenRead } from "../shared/when-read.tsx";

export interface ErrorChartProps {
  readonly kind: ErrorKind;
  readonly range: Range;
}

/** How many jobs failed with one kind of error, over time. */
export function ErrorChart({ kind, range }: ErrorChartProps) {
  const history = useQuery(errorHistoryQuery(kind, range));
  if (history.data === undefined) {
    return (
      <Panel title={text.errorsPage.overTime}>
        <WhenRead queries={[history]} skeleton={<SkeletonChart />}>
          {() => null}
        </WhenRead>
      </Panel>
    );
  }
  const { beginsAt, jobs } = history.data;
  const firstMs = new Date(beginsAt).getTime();
  const total = jobs.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return (
    <TimeSeries
      title={text.errorsPage.overTime}
      sentence={text.errorsPage.overTimeSentence(
        jobs.includes(null) ? text.errorsPage.atLeast(total) : formatFull(total),
        text.lastRanges[range],
      )}
      note={jobs.includes(null) ? text.errorsPage.countedCapped : text.errorsPage.counted}
      times={jobs.map((_, index) => new Date(firstMs + index * ranges[range].stepMs))}
      format={formatRate}
      series={[
        {
          name: text.overview.failedSeries,
          kind: "bars",
          colour: "text-failed",
          isHatched: true,
          values: jobs,
        },
      ]}
    />
  );
}
