import { type FormEvent, useId, useRef, useState } from "react";
import { longestName, mostViews, refusal, type SavedView, withView } from "../../settings/saved-views.ts";
import { keepViews, useSavedViews } from "../../settings/view-store.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { toast } from "../../ui/toasts.ts";
import { type JobsSearch, viewQuery, wholeFilter } from "./jobs-search.ts";

export interface ViewDialogProps {
  readonly search: JobsSearch;
  /** The view that shows the same, when it has been saved before. */
  readonly shown: SavedView | undefined;
  readonly onClose: () => void;
}

const complaints = {
  unnamed: text.views.unnamed,
  long: text.views.long(longestName),
  full: text.views.full(mostViews),
};

/** Gives what the list shows a name, another name, or none any more. */
export function ViewDialog({ search, shown, onClose }: ViewDialogProps) {
  const views = useSavedViews();
  const [typed, setTyped] = useState(shown?.name ?? "");
  const [isChecked, setChecked] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const formId = useId();
  const hintId = useId();

  const view = { name: typed.replace(/\s+/g, " ").trim(), query: viewQuery(search) };
  const refused = refusal(views, view);
  const isReplacing = views.some(({ name, query }) => name === view.name && query !== view.query);
  const complaint = isChecked && refused !== null ? complaints[refused] : null;

  const keep = (changed: readonly SavedView[], message: string) => {
    if (keepViews(changed)) toast({ kind: "done", message });
    else toast({ kind: "failed", message: text.views.notKept, detail: text.views.notKeptAdvice });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    if (refused === null) keep(withView(views, view), text.views.savedToast(view.name));
    else input.current?.focus();
  };

  return (
    <Dialog
      title={shown === undefined ? text.views.save : text.views.saved}
      onClose={onClose}
      footer={
        <>
          {shown !== undefined && (
            <Button
              className="me-auto"
              onClick={() =>
                keep(
                  views.filter(({ name }) => name !== shown.name),
                  text.views.deletedToast(shown.name),
                )
              }
            >
              {text.views.delete}
            </Button>
          )}
          <Button onClick={onClose}>{text.common.back}</Button>
          <Button look="primary" type="submit" form={formId}>
            {isReplacing ? text.views.replace : text.views.confirm}
          </Button>
        </>
      }
    >
      <form id={formId} noValidate onSubmit={submit} className="space-y-3">
        <label className="block">
          <span className="mb-1 block font-medium">{text.views.name}</span>
          <input
            ref={input}
            className="field w-full"
            autoComplete="off"
            aria-invalid={complaint !== null || undefined}
            aria-describedby={hintId}
            value={typed}
            onFocus={(event) => event.target.select()}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        <div id={hintId} className="space-y-3">
          {complaint !== null && (
            <p role="alert" className="text-table text-danger">
              {complaint}
            </p>
          )}
          {isReplacing && <p className="text-table">{text.views.replaces}</p>}
          <p className="text-table text-muted">
            {text.views.shows}{" "}
            <code className="font-mono text-xs break-words">{wholeFilter(search) || text.views.all}</code>
          </p>
          <p className="text-table text-muted">{text.views.kept}</p>
        </div>
      </form>
    </Dialog>
  );
}
