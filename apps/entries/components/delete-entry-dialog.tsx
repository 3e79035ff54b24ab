"use client";

import { Trash2 } from "lucide-react";
import { AlertDialog } from "radix-ui";
import { deleteEntry } from "../hooks/entries-api.ts";
import { useEntryAction } from "../hooks/use-entry-action.ts";
import type { Entry } from "../src/entry.ts";
import { dangerButton, iconButton, sideButton } from "./button.ts";
import { dialogOverlay, dialogPanel } from "./dialog.ts";

export function DeleteEntryDialog({ entry }: { entry: Entry }) {
  const remove = useEntryAction(deleteEntry, "Deleted");
  return (
    <AlertDialog.Root>
      <AlertDialog.Trigger title="Delete" aria-label={`Delete ${entry.title}`} className={iconButton}>
        <Trash2 aria-hidden className="size-4" />
      </AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={dialogOverlay} />
        <AlertDialog.Content className={dialogPanel}>
          <AlertDialog.Title className="text-lg font-semibold">Delete this entry?</AlertDialog.Title>
          <AlertDialog.Description className="mt-1 text-sm text-muted">
            <bdi className="wrap-anywhere font-medium">{entry.title}</bdi> and its result are removed. This
            cannot be undone.
          </AlertDialog.Description>
          <div className="mt-6 flex justify-end gap-2">
            <AlertDialog.Cancel className={sideButton}>Keep it</AlertDialog.Cancel>
            <AlertDialog.Action className={dangerButton} onClick={() => remove.mutate(entry)}>
              Delete
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
