"use client";

import { RotateCcw } from "lucide-react";
import { retryEntry } from "../hooks/entries-api.ts";
import { useEntryAction } from "../hooks/use-entry-action.ts";
import { type Entry, isFinished } from "../src/entry.ts";
import { iconButton } from "./button.ts";
import { DeleteEntryDialog } from "./delete-entry-dialog.tsx";

/** What can be done with an entry now. */
export function EntryActions({ entry }: { entry: Entry }) {
  const retry = useEntryAction(retryEntry, "Retrying");
  return (
    <div className="flex min-h-9 justify-end gap-1">
      {entry.status === "FAILED" && (
        <button
          type="button"
          title="Retry"
          aria-label={`Retry ${entry.title}`}
          className={iconButton}
          disabled={retry.isPending}
          onClick={() => retry.mutate(entry)}
        >
          <RotateCcw aria-hidden className="size-4" />
        </button>
      )}
      {isFinished(entry) && <DeleteEntryDialog entry={entry} />}
    </div>
  );
}
