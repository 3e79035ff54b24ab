import { CircleCheck, CircleDashed, CircleX, Clock, type LucideIcon } from "lucide-react";
import type { EntryStatus } from "../src/entry.ts";

const grey = "bg-slate-100 text-slate-800 dark:bg-slate-800 dark:text-slate-200";
const blue = "bg-blue-100 text-blue-900 dark:bg-blue-950 dark:text-blue-200";

const looks: Record<EntryStatus, { icon: LucideIcon; words: string; colours: string }> = {
  CREATED: { icon: Clock, words: "Created", colours: grey },
  STAGE_1: { icon: CircleDashed, words: "Processing Stage 1", colours: blue },
  STAGE_2: { icon: CircleDashed, words: "Processing Stage 2", colours: blue },
  COMPLETED: {
    icon: CircleCheck,
    words: "Completed",
    colours: "bg-green-100 text-green-900 dark:bg-green-950 dark:text-green-200",
  },
  FAILED: {
    icon: CircleX,
    words: "Failed",
    colours: "bg-red-100 text-red-900 dark:bg-red-950 dark:text-red-200",
  },
};

/** By icon and word; the colour is third. */
export function StatusBadge({ status }: { status: EntryStatus }) {
  const { icon: Icon, words, colours } = looks[status];
  return (
    <span
      data-status={status}
      className={`inline-flex items-center gap-1.5 rounded-full px-2.5 py-1 text-xs font-medium whitespace-nowrap ${colours}`}
    >
      <Icon aria-hidden className="size-3.5" />
      {words}
    </span>
  );
}
