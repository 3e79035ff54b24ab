import { type ReactNode, useEffect, useState } from "react";
import { text } from "../text/text.ts";
import { cn } from "./cn.ts";

export function Skeleton({ className }: { readonly className?: string }) {
  return <span aria-hidden className={cn("block animate-pulse rounded bg-line", className ?? "h-4 w-24")} />;
}

/** Fast answers should not flash a skeleton: it is drawn after 150 ms. */
export function WhileLoading({ children }: { readonly children: ReactNode }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div aria-busy="true">
      <span className="sr-only">{text.common.loading}</span>
      {isSlow && children}
    </div>
  );
}

/** As high as a chart. */
export function SkeletonChart() {
  return <Skeleton className="h-[190px] w-full" />;
}

export function SkeletonRows({ rows = 5 }: { readonly rows?: number }) {
  return (
    <div className="divide-y">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex items-center gap-6 px-4 py-3">
          <Skeleton className="h-5 w-24" />
          <Skeleton className="h-4 w-40" />
          <Skeleton className="h-4 flex-1" />
          <Skeleton className="hidden h-4 w-28 sm:block" />
          <Skeleton className="hidden h-4 w-20 sm:block" />
        </div>
      ))}
    </div>
  );
}
