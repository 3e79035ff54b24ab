import { CircleCheck, CircleStop, LoaderCircle } from "lucide-react";
import type { BulkAction } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { ProgressBar } from "../shared/progress-bar.tsx";

const looks = {
  running: { icon: LoaderCircle, colour: "text-processing", extra: "animate-spin" },
  done: { icon: CircleCheck, colour: "text-completed", extra: "" },
  aborted: { icon: CircleStop, colour: "text-cancelled", extra: "" },
};

export function BulkStatus({ status }: { readonly status: BulkAction["status"] }) {
  const { icon: Icon, colour, extra } = looks[status];
  return (
    <span className={cn("inline-flex items-center gap-1.5 font-medium whitespace-nowrap", colour)}>
      <Icon size={15} aria-hidden className={extra} /> {text.bulk.status[status]}
    </span>
  );
}

export function BulkProgress({ action, isTall }: { readonly action: BulkAction; readonly isTall?: boolean }) {
  const taken = takenOf(action);
  const percent = action.status === "done" ? 100 : percentOf(taken, action.matched);
  const status =
    action.status === "running" ? "processing" : action.status === "done" ? "completed" : "cancelled";
  return (
    <ProgressBar label={text.bulk.progress} percent={percent} status={status} isTall={isTall ?? false} />
  );
}

export function skippedOf({ skipped }: BulkAction): number {
  return Object.values(skipped).reduce((sum, count) => sum + count, 0);
}

export function takenOf(action: BulkAction): number {
  return action.done + action.failed + skippedOf(action);
}

/** Which jobs it is about, as a person would write it. */
export function bulkTarget({ filter, ids }: BulkAction): string {
  if (ids !== null) return text.bulk.chosen(ids);
  const words = Object.entries(filter).flatMap(([name, value]) =>
    value === null || value === undefined
      ? []
      : [
          `${name}:${Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value)}`,
        ],
  );
  return text.bulk.of(words.join(" "));
}

/** Where nobody counted to the end, nobody can say how far it is. */
function percentOf(taken: number, { value, exact }: BulkAction["matched"]): number | null {
  if (!exact || value === 0) return null;
  return Math.min(100, (taken / value) * 100);
}
