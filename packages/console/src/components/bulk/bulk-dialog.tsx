import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type BulkStart, previewBulk, startBulk } from "../../api/bulk-api.ts";
import { jobKeys } from "../../api/jobs-api.ts";
import { text } from "../../text/text.ts";
import { toast } from "../../ui/toasts.ts";
import { countOfJobs } from "../jobs/count-label.tsx";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { tellFailure } from "../shared/tell-failure.ts";

export interface BulkDialogProps {
  readonly start: BulkStart;
  readonly onClose: () => void;
  readonly onStarted: () => void;
}

/** Says how many jobs it is about before anything is done to them. */
export function BulkDialog({ start, onClose, onStarted }: BulkDialogProps) {
  const client = useQueryClient();
  const preview = useQuery({
    queryKey: ["bulk", "preview", start],
    queryFn: () => previewBulk(start),
    gcTime: 0,
  });
  const begin = useMutation({
    mutationFn: () => startBulk(start),
    onSuccess: ({ id }) => {
      const action = text.bulk.action[start.action];
      toast({
        kind: "done",
        message: text.bulk.startedToast(action),
        action: { label: text.bulk.follow, to: `/bulk/${id}` },
      });
      void client.invalidateQueries({ queryKey: jobKeys.all });
      void client.invalidateQueries({ queryKey: ["bulk"] });
      onStarted();
    },
    onError: tellFailure,
  });
  const count = preview.data;
  const many = count === undefined ? "…" : countOfJobs(count);
  const isRetry = start.action === "retry";
  return (
    <ConfirmDialog
      title={isRetry ? text.bulk.retryTitle(many) : text.bulk.cancelTitle(many)}
      confirm={isRetry ? text.bulk.retryConfirm : text.bulk.cancelConfirm}
      isDanger={!isRetry}
      isBusy={begin.isPending || count === undefined}
      count={count?.value ?? 0}
      onConfirm={() => begin.mutate()}
      onClose={onClose}
    >
      <p>{isRetry ? text.bulk.retryWarning : text.bulk.cancelWarning}</p>
      {preview.error !== null && (
        <p role="alert" className="text-danger">
          {preview.error.message}
        </p>
      )}
      {start.filter !== undefined && (
        <p className="rounded-md bg-well px-3 py-2 font-mono text-xs">{text.bulk.of(start.filter)}</p>
      )}
      {count !== undefined && !count.exact && !count.capped && <p>{text.bulk.stillAll}</p>}
      {start.filter !== undefined && <p className="text-muted">{text.bulk.later}</p>}
    </ConfirmDialog>
  );
}
