import { logTicks, niceTicks } from "./chart-ticks.ts";
import { linesAt, type Series, stackTop } from "./series.ts";

export const plotHeight = 190;
export const margin = { top: 8, right: 8, bottom: 22, left: 48 };
export const innerHeight = plotHeight - margin.top - margin.bottom;

export interface PlotScale {
  readonly ticks: readonly number[];
  /** The width of one time. */
  readonly step: number;
  /** The left edge of a time. */
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

/** Where values and times lie in a plot of this width. */
export function plotScale(
  series: readonly Series[],
  times: number,
  width: number,
  isLog: boolean,
): PlotScale {
  const step = Math.max(10, width - margin.left - margin.right) / Math.max(1, times);
  const bars = series.filter(({ kind }) => kind === "bars");
  const tops = Array.from({ length: times }, (_, index) =>
    Math.max(stackTop(bars, index), ...linesAt(series, index)),
  );
  const ticks = isLog ? logTicks(series.flatMap(({ values }) => values)) : niceTicks(Math.max(0, ...tops));
  const [low, high] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const share = (value: number) =>
    isLog
      ? (Math.log(Math.max(low, value)) - Math.log(low)) / Math.max(1e-9, Math.log(high) - Math.log(low))
      : value / high;
  return {
    ticks,
    step,
    x: (index) => margin.left + index * step,
    y: (value) => margin.top + innerHeight * (1 - Math.min(1, share(value))),
  };
}
