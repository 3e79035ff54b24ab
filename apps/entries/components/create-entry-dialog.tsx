"use client";

import { Plus } from "lucide-react";
import { Dialog } from "radix-ui";
import { type FormEvent, useId, useState } from "react";
import { toast } from "sonner";
import { EntryRefusedError, problemOf } from "../hooks/entries-api.ts";
import { useCreateEntry } from "../hooks/use-create-entry.ts";
import { fieldMessages, newEntry } from "../src/new-entry.ts";
import { mainButton, sideButton } from "./button.ts";
import { dialogOverlay, dialogPanel } from "./dialog.ts";

export function CreateEntryDialog({ onCreated }: { onCreated(): void }) {
  const [isOpen, setIsOpen] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const create = useCreateEntry();
  const problemId = useId();

  const open = (next: boolean) => {
    setProblem(null);
    setIsOpen(next);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = newEntry.safeParse({ title: new FormData(event.currentTarget).get("title") });
    if (!given.success) return setProblem(fieldMessages(given.error).title ?? "This cannot be a title.");
    setProblem(null);
    create.mutate(given.data, {
      onSuccess: () => {
        setIsOpen(false);
        onCreated();
        toast.success("Created successfully");
      },
      onError: (error) => setProblem(titleProblemOf(error)),
    });
  };

  return (
    <Dialog.Root open={isOpen} onOpenChange={open}>
      <Dialog.Trigger className={mainButton}>
        <Plus aria-hidden className="size-4" />
        <span className="max-sm:sr-only">Create entry</span>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={dialogOverlay} />
        <Dialog.Content className={dialogPanel}>
          <Dialog.Title className="text-lg font-semibold">Create entry</Dialog.Title>
          <Dialog.Description className="mt-1 text-sm text-muted">
            It moves through three stages, and you can watch it.
          </Dialog.Description>
          <form noValidate onSubmit={submit} className="mt-4">
            <label className="block text-sm font-medium">
              Title
              <input
                name="title"
                autoComplete="off"
                aria-invalid={problem !== null}
                aria-describedby={problem === null ? undefined : problemId}
                className="mt-1 block w-full min-h-10 rounded-md border border-edge bg-panel px-3.5 py-1.5 text-base aria-invalid:border-danger"
              />
            </label>
            {problem !== null && (
              <p id={problemId} role="alert" className="mt-2 text-sm text-danger">
                {problem}
              </p>
            )}
            <div className="mt-6 flex justify-end gap-2">
              <Dialog.Close className={sideButton}>Close</Dialog.Close>
              <button type="submit" className={mainButton} disabled={create.isPending}>
                {create.isPending ? "Creating…" : "Create"}
              </button>
            </div>
          </form>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function titleProblemOf(error: Error): string {
  const title = error instanceof EntryRefusedError ? error.fields.title : undefined;
  return title ?? `${problemOf(error)} Please try again.`;
}
