import {
  Ban,
  CircleCheck,
  CircleDashed,
  CirclePause,
  CircleX,
  Clock,
  Ellipsis,
  LoaderCircle,
  type LucideIcon,
  RotateCw,
} from "lucide-react";
import type { JobStatus } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";

export type ShownStatus = JobStatus | "paused";

// In full, so that Tailwind finds them.
const looks: Record<ShownStatus, { icon: LucideIcon; colour: string; fill: string }> = {
  scheduled: { icon: Clock, colour: "text-scheduled", fill: "bg-scheduled" },
  pending: { icon: Ellipsis, colour: "text-pending", fill: "bg-pending" },
  processing: { icon: LoaderCircle, colour: "text-processing", fill: "bg-processing" },
  retrying: { icon: RotateCw, colour: "text-retrying", fill: "bg-retrying" },
  completed: { icon: CircleCheck, colour: "text-completed", fill: "bg-completed" },
  failed: { icon: CircleX, colour: "text-failed", fill: "bg-failed" },
  cancelled: { icon: Ban, colour: "text-cancelled", fill: "bg-cancelled" },
  paused: { icon: CirclePause, colour: "text-paused", fill: "bg-paused" },
};

export function statusColour(status: ShownStatus): string {
  return looks[status].colour;
}

export function statusFill(status: ShownStatus): string {
  return looks[status].fill;
}

export function StatusIcon({ status, size = 14 }: { readonly status: ShownStatus; readonly size?: number }) {
  const { icon: Icon, colour } = looks[status];
  if (status !== "processing") return <Icon size={size} aria-hidden className={cn("shrink-0", colour)} />;
  return (
    <>
      <Icon size={size} aria-hidden className={cn("shrink-0 animate-spin motion-reduce:hidden", colour)} />
      <CircleDashed size={size} aria-hidden className={cn("hidden shrink-0 motion-reduce:block", colour)} />
    </>
  );
}

/** Icon and word; the colour only helps. */
export function StatusBadge({
  status,
  isLarge,
}: {
  readonly status: ShownStatus;
  readonly isLarge?: boolean;
}) {
  return (
    <span
      data-status={status}
      className={cn(
        "inline-flex items-center gap-1.5 rounded-full border border-current bg-[color-mix(in_srgb,currentColor_var(--badge-fill),transparent)] font-medium whitespace-nowrap",
        isLarge ? "px-3 py-1 text-sm" : "px-2 py-px text-xs",
        statusColour(status),
      )}
    >
      <StatusIcon status={status} size={isLarge ? 16 : 13} />
      {text.status[status]}
    </span>
  );
}
