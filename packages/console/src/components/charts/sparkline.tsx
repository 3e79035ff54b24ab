import { cn } from "../../ui/cn.ts";

export interface SparklineProps {
  readonly values: readonly number[];
  /** What it shows, in a sentence. */
  readonly label: string;
  readonly className?: string;
}

const width = 96;
const height = 28;

/** A small line with no axes; the number beside it carries the meaning. The last piece, still filling, is left out. */
export function Sparkline({ values, label, className }: SparklineProps) {
  const top = Math.max(1, ...values);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, index): [number, number] => [
    index * step,
    height - 2 - (value / top) * (height - 4),
  ]);
  const line = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={cn("h-7 w-24 overflow-visible", className)}
    >
      {values.length > 1 && (
        <>
          <polygon points={`0,${height} ${line} ${width},${height}`} fill="currentColor" opacity="0.12" />
          <polyline
            points={line}
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            vectorEffect="non-scaling-stroke"
          />
        </>
      )}
    </svg>
  );
}
