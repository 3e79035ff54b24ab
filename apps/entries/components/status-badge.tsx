import { CircleCheck, CircleDashed, CircleX, Clock, type LucideIcon } from "lucide-react";
import type { EntryStatus } from "../src/entry.ts";

const looks: Record<EntryStatus, { icon: LucideIcon; words: string; colour: string }> = {
  CREATED: { icon: Clock, words: "Created", colour: "text-pending" },
  STAGE_1: { icon: CircleDashed, words: "Processing Stage 1", colour: "text-processing" },
  STAGE_2: { icon: CircleDashed, words: "Processing Stage 2", colour: "text-processing" },
  COMPLETED: { icon: CircleCheck, words: "Completed", colour: "text-completed" },
  FAILED: { icon: CircleX, words: "Failed", colour: "text-failed" },
};

/** By icon and word; the colour is third. */
export function StatusBadge({ status }: { status: EntryStatus }) {
  const { icon: Icon, words, colour } = looks[status];
  return (
    <span
      data-status={status}
      className={`inline-flex items-center gap-1.5 rounded-full border border-current px-2 py-px text-xs font-semibold whitespace-nowrap ${colour}`}
    >
      <Icon aria-hidden className="size-3.5" />
      {words}
    </span>
  );
}
