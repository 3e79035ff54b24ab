import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";

export interface Processors {
  readonly busy: number;
  readonly idle: number;
  readonly error: number;
}

const drawnAtMost = 40;

/** One cell a processor; beyond forty the numbers say it better. */
export function ProcessorGrid({
  processors,
  label,
}: {
  readonly processors: Processors;
  readonly label: string;
}) {
  const { busy, idle, error } = processors;
  const all = busy + idle + error;
  const cells = [
    ...Array.from({ length: busy }, () => "busy" as const),
    ...Array.from({ length: idle }, () => "idle" as const),
    ...Array.from({ length: error }, () => "error" as const),
  ];
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
      <span className="sr-only">{text.workers.processors(label, busy, idle, error)}</span>
      {all <= drawnAtMost && (
        <span aria-hidden className="flex flex-wrap gap-[3px]">
          {cells.map((state, index) => (
            <span
              key={index}
              className={cn(
                "flex size-3.5 items-center justify-center rounded-[3px] border text-[9px] leading-none font-bold",
                state === "busy" && "border-processing bg-processing",
                state === "idle" && "border-edge/70",
                state === "error" && "border-failed text-failed",
              )}
            >
              {state === "error" ? "✕" : ""}
            </span>
          ))}
        </span>
      )}
      <span aria-hidden className="text-xs whitespace-nowrap text-muted">
        {busy}/{all}
      </span>
    </div>
  );
}
