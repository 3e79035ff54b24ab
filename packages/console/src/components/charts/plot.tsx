import { type PointerEvent, useEffect, useId, useRef, useState } from "react";
import { cn } from "../../ui/cn.ts";
import { linePath } from "./line-path.ts";
import { innerHeight, margin, type PlotScale, plotHeight, plotScale } from "./plot-scale.ts";
import { type Series, stackTop } from "./series.ts";

export interface PlotProps {
  /** What the chart shows, for those who do not see it. */
  readonly sentence: string;
  readonly times: readonly Date[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  readonly isLog: boolean;
  readonly when: (time: Date) => string;
  /** The time that is pointed at. */
  readonly at: number | null;
  readonly onAt: (index: number | null) => void;
}

export function Plot({ sentence, times, series, format, isLog, when, at, onAt }: PlotProps) {
  const [box, width] = useWidth();
  const scale = plotScale(series, times.length, width, isLog);
  const { ticks, step, x, y } = scale;
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
        height={plotHeight}
        className="block overflow-visible text-2xs"
        onPointerMove={onMove}
        onPointerLeave={() => onAt(null)}
      >
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
        <Bars times={times} series={series} scale={scale} />
        {times.map(
          (time, index) =>
            index % labelEvery === 0 &&
            x(index) < width - 40 && (
              <text key={time.getTime()} x={x(index)} y={plotHeight - 6} className="fill-muted">
                {when(time)}
              </text>
            ),
        )}
        <Lines series={series} scale={scale} />
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

interface DrawnProps {
  readonly series: readonly Series[];
  readonly scale: PlotScale;
}

function Bars({ times, series, scale }: DrawnProps & Pick<PlotProps, "times">) {
  const hatch = useId();
  const { step, x, y } = scale;
  const bars = series.filter(({ kind }) => kind === "bars");
  return (
    <>
      <defs>
        <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="2" height="5" className="fill-panel" opacity="0.55" />
        </pattern>
      </defs>
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
        </g>
      ))}
    </>
  );
}

function Lines({ series, scale: { step, x, y } }: DrawnProps) {
  const line = { fill: "none", strokeWidth: "1.75", strokeLinejoin: "round" as const };
  const middle = (index: number) => x(index) + step / 2;
  return series
    .filter(({ kind }) => kind !== "bars")
    .map(({ name, values, colour, kind }) => {
      // The last step is still filling: what it says is not final.
      const whole = kind === "dashes" ? [] : values.slice(0, -1);
      const open =
        kind === "dashes" ? values : values.map((value, index) => (index < values.length - 2 ? null : value));
      return (
        <g key={name} className={cn("stroke-current", colour)}>
          <path {...line} d={linePath(whole, middle, y)} />
          <path {...line} d={linePath(open, middle, y)} strokeDasharray="4 3" />
        </g>
      );
    });
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
