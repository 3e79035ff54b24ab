import type { ReactNode } from "react";
import { cn } from "../../ui/cn.ts";

export interface NumberTileProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  readonly chart?: ReactNode;
  readonly colour?: string;
}

export function NumberTile({ name, value, note, chart, colour }: NumberTileProps) {
  return (
    <div className="panel flex min-w-0 flex-col px-4 pt-3 pb-3">
      <dt className="text-table text-muted">{name}</dt>
      <dd className="mt-0.5 flex flex-1 flex-col justify-between gap-2">
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
          <span
            className={cn("text-2xl leading-tight font-semibold tracking-tight whitespace-nowrap", colour)}
          >
            {value}
          </span>
          {note !== undefined && <span className="text-xs whitespace-nowrap text-muted">{note}</span>}
        </span>
        <span className="flex h-6 items-end">{chart}</span>
      </dd>
    </div>
  );
}
