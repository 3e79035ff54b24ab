import type { ReactNode } from "react";
import { cn } from "./cn.ts";

export interface PanelProps {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
  readonly className?: string;
  /** Tables and charts reach the edges. */
  readonly isFlush?: boolean;
}

export function Panel({ title, aside, children, className, isFlush }: PanelProps) {
  return (
    <div className={cn("panel min-w-0", className)}>
      {title !== undefined && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 pt-2.5 pb-1.5">
          <h2 className="text-sm font-semibold">{title}</h2>
          {aside !== undefined && <div className="flex items-center gap-3 text-xs text-muted">{aside}</div>}
        </div>
      )}
      <div className={isFlush ? "" : cn("px-4 pb-4", title === undefined && "pt-4")}>{children}</div>
    </div>
  );
}
