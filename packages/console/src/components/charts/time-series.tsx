import { useState } from "react";
import { formatDay, formatMinute } from "../../format/time.ts";
import { useSettings } from "../../settings/settings.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { cn } from "../../ui/cn.ts";
import { Panel } from "../../ui/panel.tsx";
import { ChartTable } from "./chart-table.tsx";
import { Plot } from "./plot.tsx";
import { type Series, said } from "./series.ts";

export interface TimeSeriesProps {
  readonly title: string;
  /** What the chart shows, for those who do not see it. */
  readonly sentence: string;
  readonly times: readonly Date[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Times of very different size share a logarithmic axis. */
  readonly isLog?: boolean;
  /** What is to be known of the numbers. */
  readonly note?: string;
}

/** Bars stacked and lines over them, on an axis of time; the same as a table for whoever wants numbers. */
export function TimeSeries(props: TimeSeriesProps) {
  const [isTable, setTable] = useState(false);
  const [at, setAt] = useState<number | null>(null);
  const { title, series, times, format, note } = props;
  const { timeZone } = useSettings();
  const isLong = (times.at(-1)?.getTime() ?? 0) - (times[0]?.getTime() ?? 0) > 86_400_000;
  const when = (time: Date) => (isLong ? formatDay(time, timeZone) : formatMinute(time, timeZone));
  const shown = at === null ? null : times[at];
  return (
    <Panel
      title={title}
      aside={
        <>
          <ul className="flex flex-wrap gap-x-3">
            {series.map(({ name, colour, kind, isHatched, values }) => (
              <li key={name} className="flex items-center gap-1.5">
                <span
                  aria-hidden
                  className={cn(
                    colour,
                    kind === "bars" && "size-2.5 rounded-[2px] bg-current",
                    kind === "line" && "h-0.5 w-3.5 bg-current",
                    kind === "dashes" && "w-3.5 border-t-2 border-dashed border-current",
                    isHatched && "hatched",
                  )}
                />
                {name}
                {at !== null && <b className="font-medium text-ink">{said(values[at], format)}</b>}
              </li>
            ))}
            {shown && <li className="text-ink">{when(shown)}</li>}
          </ul>
          <Button look="quiet" size="small" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? text.common.showAsChart : text.common.showAsTable}
          </Button>
        </>
      }
    >
      {isTable ? (
        <ChartTable {...props} when={when} />
      ) : (
        <Plot {...props} isLog={props.isLog ?? false} when={when} at={at} onAt={setAt} />
      )}
      {note !== undefined && <p className="mt-2 text-table text-muted">{note}</p>}
    </Panel>
  );
}
