import { type PointerEvent, useEffect, useId, useRef, useState } from "react";
import { formatDay, formatMinute } from "../format/time.ts";
import { useSettings } from "../settings/settings.ts";
import { text } from "../text/text.ts";
import { Button } from "../ui/button.tsx";
import { cn } from "../ui/cn.ts";
import { Panel } from "../ui/panel.tsx";
import { ScrollRegion } from "../ui/scroll-region.tsx";
import { logTicks, niceTicks } from "./chart-ticks.ts";

export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
  readonly kind: "bars" | "line" | "dashes";
  /** A class that sets the text colour; the chart draws in it. */
  readonly colour: string;
  readonly isHatched?: boolean;
}

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

const height = 190;
const margin = { top: 8, right: 8, bottom: 22, left: 48 };

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
      {isTable ? <ChartTable {...props} when={when} /> : <Plot {...props} when={when} at={at} onAt={setAt} />}
      {note !== undefined && <p className="mt-2 text-table text-muted">{note}</p>}
    </Panel>
  );
}

interface PlotProps extends TimeSeriesProps {
  readonly when: (time: Date) => string;
  readonly at: number | null;
  readonly onAt: (index: number | null) => void;
}

function Plot({ sentence, times, series, format, isLog, when, at, onAt }: PlotProps) {
  const [box, width] = useWidth();
  const hatch = useId();
  const innerWidth = Math.max(10, width - margin.left - margin.right);
  const innerHeight = height - margin.top - margin.bottom;
  const bars = series.filter(({ kind }) => kind === "bars");
  const tops = times.map((_, index) => Math.max(stackTop(bars, index), ...linesAt(series, index)));
  const ticks = isLog ? logTicks(series.flatMap(({ values }) => values)) : niceTicks(Math.max(0, ...tops));
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const y = (value: number) => {
    const share = isLog
      ? (Math.log(Math.max(low, value)) - Math.log(low)) / Math.max(1e-9, Math.log(high) - Math.log(low))
      : value / high;
    return margin.top + innerHeight * (1 - Math.min(1, share));
  };
  const step = innerWidth / Math.max(1, times.length);
  const x = (index: number) => margin.left + index * step;
  const labelEvery = Math.max(1, Math.ceil(84 / step));
  const onMove = (event: PointerEvent<SVGSVGElement>) => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left - margin.left;
    const index = Math.floor(left / step);
    onAt(index >= 0 && index < times.length ? index : null);
  };

  return (
    <div ref={box}>
      <svg
        role="img"
        aria-label={sentence}
        width={width}
        height={height}
        className="block overflow-visible text-2xs"
        onPointerMove={onMove}
        onPointerLeave={() => onAt(null)}
      >
        <defs>
          <pattern
            id={hatch}
            width="5"
            height="5"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="2" height="5" className="fill-panel" opacity="0.55" />
          </pattern>
        </defs>
        {ticks.map((tick) => (
          <g key={tick}>
            <line
              x1={margin.left}
              x2={width - margin.right}
              y1={y(tick)}
              y2={y(tick)}
              className="stroke-line"
            />
            <text x={margin.left - 8} y={y(tick)} dy="0.32em" textAnchor="end" className="fill-muted">
              {format(tick)}
            </text>
          </g>
        ))}
        {times.map((time, index) => (
          <g key={time.getTime()}>
            {bars.map(({ name, values, colour, isHatched }, order) => {
              const value = values[index] ?? 0;
              if (value === 0) return null;
              const below = stackTop(bars.slice(0, order), index);
              const box = {
                x: x(index) + Math.min(1, step * 0.1),
                width: Math.max(1, step - Math.min(2, step * 0.2)),
                y: y(below + value),
                height: Math.max(1, y(below) - y(below + value)),
              };
              return (
                <g key={name} className={colour}>
                  {/* The last step is still filling. */}
                  <rect {...box} className="fill-current" opacity={index === times.length - 1 ? 0.45 : 1} />
                  {isHatched && <rect {...box} fill={`url(#${hatch})`} />}
                </g>
              );
            })}
            {index % labelEvery === 0 && x(index) < width - 40 && (
              <text x={x(index)} y={height - 6} className="fill-muted">
                {when(time)}
              </text>
            )}
          </g>
        ))}
        {series
          .filter(({ kind }) => kind !== "bars")
          .map(({ name, values, colour, kind }) => {
            // The last step is still filling: what it says is not final.
            const whole = kind === "dashes" ? [] : values.slice(0, -1);
            const open =
              kind === "dashes"
                ? values
                : values.map((value, index) => (index < values.length - 2 ? null : value));
            const line = { fill: "none", strokeWidth: "1.75", strokeLinejoin: "round" as const };
            const middle = (index: number) => x(index) + step / 2;
            return (
              <g key={name} className={cn("stroke-current", colour)}>
                <path {...line} d={linePath(whole, middle, y)} />
                <path {...line} d={linePath(open, middle, y)} strokeDasharray="4 3" />
              </g>
            );
          })}
        {at !== null && (
          <rect
            x={x(at)}
            y={margin.top}
            width={step}
            height={innerHeight}
            className="fill-ink"
            opacity="0.07"
          />
        )}
      </svg>
    </div>
  );
}

function ChartTable({ title, times, series, format, when }: TimeSeriesProps & Pick<PlotProps, "when">) {
  return (
    <ScrollRegion label={title} className="overflow-auto" style={{ height }}>
      <table className="w-full text-table">
        <thead>
          <tr className="text-start text-xs text-muted">
            <th scope="col" className="py-1 font-medium">
              {text.activity.at}
            </th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="py-1 text-end font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y">
          {times
            .map((time, index) => (
              <tr key={time.getTime()}>
                <th scope="row" className="py-0.5 text-start font-normal">
                  {when(time)}
                </th>
                {series.map(({ name, values }) => (
                  <td key={name} className="text-end">
                    {said(values[index], format)}
                  </td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function said(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "–" : format(value);
}

function stackTop(bars: readonly Series[], index: number): number {
  return bars.reduce((total, { values }) => total + (values[index] ?? 0), 0);
}

function linesAt(series: readonly Series[], index: number): number[] {
  return series.filter(({ kind }) => kind !== "bars").map(({ values }) => values[index] ?? 0);
}

/** A gap where nothing is known, not a line through it. */
function linePath(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let isDrawing = false;
  return values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false;
        return "";
      }
      const point = `${x(index).toFixed(1)},${y(value).toFixed(1)}`;
      // A dot where neither neighbour is known, or it would not be seen.
      const isAlone = !isDrawing && (values[index + 1] ?? null) === null;
      const part = `${isDrawing ? "L" : "M"}${point}${isAlone ? "h1.5" : ""}`;
      isDrawing = true;
      return part;
    })
    .join("");
}

function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 480));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}
