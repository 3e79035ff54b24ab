import type { CSSProperties, ReactNode, Ref, UIEventHandler } from "react";
import { cn } from "./cn.ts";

export interface ScrollRegionProps {
  readonly ref?: Ref<HTMLElement>;
  readonly label: string;
  readonly className?: string;
  readonly style?: CSSProperties;
  readonly onScroll?: UIEventHandler<HTMLElement>;
  readonly children: ReactNode;
}

/** What scrolls by itself has a name and is reached by keyboard. */
export function ScrollRegion({ label, children, className, ...rest }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus, keys could not scroll it.
    <section aria-label={label} tabIndex={0} className={cn("relative", className)} {...rest}>
      {children}
    </section>
  );
}
