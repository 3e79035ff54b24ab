import { Hand, Hourglass } from "lucide-react";
import type { Stage } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";

export type WaitKind = NonNullable<Stage["kind"]>;

/** The sign of a stage that no worker runs: a hand for a signal, an hourglass for a sleep. */
export function WaitIcon({
  kind,
  size = 14,
  className,
}: {
  readonly kind: WaitKind;
  readonly size?: number;
  readonly className?: string;
}) {
  const Icon = kind === "wait" ? Hand : Hourglass;
  return <Icon size={size} aria-hidden className={cn("shrink-0", className)} />;
}

export function WaitMark({ kind }: { readonly kind: WaitKind }) {
  return (
    <span className="inline-flex items-center gap-1.5 text-xs text-muted">
      <WaitIcon kind={kind} /> {kind === "wait" ? text.waits.signalStage : text.waits.sleepStage}
    </span>
  );
}
