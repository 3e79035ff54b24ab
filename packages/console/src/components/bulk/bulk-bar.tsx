import { Ban, RotateCw } from "lucide-react";
import { useShortcut } from "../../shell/shortcuts.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { type Count, countText } from "../jobs/count-label.tsx";

export interface BulkBarProps {
  readonly selected: number;
  readonly isAllMatching: boolean;
  readonly matching: Count | undefined;
  readonly onAllMatching: () => void;
  readonly onClear: () => void;
  readonly onRetry: (() => void) | null;
  readonly onCancel: (() => void) | null;
}

/** What can be done with what is selected. */
export function BulkBar(props: BulkBarProps) {
  const { selected, isAllMatching, matching, onAllMatching, onClear, onRetry, onCancel } = props;
  useShortcut("r", () => onRetry?.(), onRetry !== null);
  useShortcut("c", () => onCancel?.(), onCancel !== null);
  const total = matching === undefined ? "" : countText(matching);
  return (
    <section
      aria-label={text.nav.bulk}
      className="sticky bottom-3 z-20 mx-auto flex w-full max-w-3xl animate-[rise_.12s_ease-out] flex-wrap items-center gap-x-3 gap-y-2 rounded-xl border bg-raised px-4 py-2.5 shadow-[var(--shadow-float)]"
    >
      <span className="font-medium">
        {isAllMatching ? text.jobs.matchingSelected(total) : text.jobs.selected(selected)}
      </span>
      {!isAllMatching && matching !== undefined && (matching.value > selected || !matching.exact) && (
        <Button look="quiet" size="small" onClick={onAllMatching} className="text-primary">
          {text.jobs.selectMatching(total)}
        </Button>
      )}
      <span className="text-xs text-muted">{text.jobs.updatesPaused}</span>
      <span className="ms-auto flex gap-2">
        {onRetry !== null && (
          <Button size="small" onClick={onRetry}>
            <RotateCw size={14} aria-hidden /> {text.jobs.retry}
          </Button>
        )}
        {onCancel !== null && (
          <Button size="small" onClick={onCancel}>
            <Ban size={14} aria-hidden /> {text.jobs.cancel}
          </Button>
        )}
        <Button look="quiet" size="small" onClick={onClear}>
          {text.jobs.clearSelection}
        </Button>
      </span>
    </section>
  );
}
