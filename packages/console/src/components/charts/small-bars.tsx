import { cn } from "../../ui/cn.ts";

export interface SmallBarsProps {
  /** One for each step; null where it is not known. */
  readonly values: readonly (number | null)[];
  /** What it shows, in a sentence. */
  readonly label: string;
  readonly className?: string;
}

const height = 24;
const step = 4;

/** Bars with no axes, for things that happen now and then; the numbers beside them carry the meaning. */
export function SmallBars({ values, label, className }: SmallBarsProps) {
  const top = Math.max(1, ...values.map((value) => value ?? 0));
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${values.length * step} ${height}`}
      className={cn("h-6 w-24", className)}
    >
      {values.map((value, index) => {
        // Where nothing happened there is a trace of it; where nothing is known there is nothing.
        const barHeight = value === null ? 0 : value === 0 ? 1 : Math.max(3, (value / top) * height);
        return (
          <rect
            key={index}
            x={index * step}
            y={height - barHeight}
            width={step - 1}
            height={barHeight}
            className="fill-current"
            opacity={value === 0 ? 0.3 : 1}
          />
        );
      })}
    </svg>
  );
}
