import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Ban, ChevronDown, CopyPlus, Ellipsis, GitFork, RotateCw } from "lucide-react";
import { useState } from "react";
import { apiBase } from "../../api/base-path.ts";
import { isFinished } from "../../api/contract.ts";
import { exactText } from "../../api/exact-json.ts";
import { cancelJob, forkJob, type JobWithVersion, jobKeys, retryJob } from "../../api/jobs-api.ts";
import { useMay } from "../../api/me-api.ts";
import { ProblemError } from "../../api/problem-error.ts";
import { formatDuration } from "../../format/duration.ts";
import { withoutParts } from "../../new-job/json-pointer.ts";
import { openNewJob } from "../../shell/new-job-layer.ts";
import { useShortcut } from "../../shell/shortcuts.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { copy } from "../../ui/copy-button.tsx";
import { Menu } from "../../ui/menu.tsx";
import { toast } from "../../ui/toasts.ts";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { tellFailure } from "../shared/tell-failure.ts";
import { useCancelGraceMs } from "./cancel-grace.ts";

export interface JobActionsProps {
  readonly job: JobWithVersion;
  readonly stages: readonly string[];
}

export function JobActions({ job, stages }: JobActionsProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isCancelling, setCancelling] = useState(false);
  const graceMs = useCancelGraceMs();
  const maySteer = useMay("jobs.retry");
  const mayRetry = maySteer && (job.status === "failed" || job.status === "cancelled");
  const mayFork = maySteer && isFinished(job.status);
  const mayCancel = useMay("jobs.cancel") && !isFinished(job.status) && job.cancelRequestedAt === null;
  const mayAdd = useMay("jobs.add") && !job.isPayloadHidden;

  const settled = () => client.invalidateQueries({ queryKey: jobKeys.all });
  const onError = (error: Error) => {
    void settled();
    const isStale = error instanceof ProblemError && (error.status === 412 || error.status === 409);
    if (isStale) toast({ kind: "note", message: text.job.changed, detail: error.detail });
    else tellFailure(error);
  };
  const retry = useMutation({
    mutationFn: (fromStage: string | undefined) => retryJob(job.id, fromStage, job.etag),
    onSuccess: () => {
      toast({ kind: "done", message: text.job.retriedToast });
      void settled();
    },
    onError,
  });
  const fork = useMutation({
    mutationFn: (fromStage: string) => forkJob(job.id, fromStage, job.etag),
    onSuccess: ({ id }) => {
      toast({ kind: "done", message: text.job.forkedToast });
      void settled();
      void navigate({ to: "/jobs/$id", params: { id } });
    },
    onError,
  });
  const cancel = useMutation({
    mutationFn: () => cancelJob(job.id, job.etag),
    onSuccess: ({ answer }) => {
      setCancelling(false);
      toast({
        kind: "done",
        message: answer === "cancelled" ? text.job.cancelledToast : text.job.cancelRequestedToast,
      });
      void settled();
    },
    onError: (error) => {
      setCancelling(false);
      onError(error);
    },
  });
  const addAgain = () => {
    const { pipeline, payload, hiddenInPayload: leftOut } = job;
    openNewJob({ pipeline, payload: withoutParts(payload, leftOut), leftOut });
  };
  useShortcut("r", () => retry.mutate(undefined), mayRetry);
  useShortcut("c", () => setCancelling(true), mayCancel);

  const earlier = stages.slice(0, stages.indexOf(job.stage) + 1);
  return (
    <>
      {mayRetry && (
        <span className="inline-flex max-w-full">
          <Button
            look="primary"
            className={earlier.length > 1 ? "rounded-e-none" : ""}
            isBusy={retry.isPending}
            onClick={() => retry.mutate(undefined)}
          >
            <RotateCw size={15} aria-hidden /> {text.job.retryFrom(job.stage)}
          </Button>
          {earlier.length > 1 && (
            <Menu
              items={earlier.map((stage) => ({
                label: text.job.retryFrom(stage),
                onSelect: () => retry.mutate(stage),
              }))}
              trigger={
                <Button
                  look="primary"
                  className="shrink-0 rounded-s-none border-s-panel/40 px-1.5"
                  aria-label={text.job.retryChoose}
                >
                  <ChevronDown size={16} aria-hidden />
                </Button>
              }
            />
          )}
        </span>
      )}
      {mayFork && (
        <Menu
          items={earlier.map((stage) => ({
            label: text.job.forkFrom(stage),
            onSelect: () => fork.mutate(stage),
          }))}
          trigger={
            <Button isBusy={fork.isPending}>
              <GitFork size={15} aria-hidden /> {text.job.fork} <ChevronDown size={15} aria-hidden />
            </Button>
          }
        />
      )}
      {mayCancel && (
        <Button onClick={() => setCancelling(true)}>
          <Ban size={15} aria-hidden /> {text.job.cancel}
        </Button>
      )}
      {mayAdd && (
        <Button onClick={addAgain}>
          <CopyPlus size={15} aria-hidden /> {text.job.again}
        </Button>
      )}
      <Menu
        items={[
          { label: text.job.copyId, onSelect: () => void copy(job.id) },
          { label: text.job.copyJson, onSelect: () => void copy(exactText(job)) },
          {
            label: text.job.copyCurl,
            onSelect: () => void copy(`curl ${location.origin}${apiBase}/jobs/${job.id}`),
          },
        ]}
        trigger={
          <Button size="icon" aria-label={text.job.more}>
            <Ellipsis size={17} aria-hidden />
          </Button>
        }
      />
      {isCancelling && (
        <ConfirmDialog
          title={text.job.cancelTitle}
          confirm={text.job.cancel}
          isDanger
          isBusy={cancel.isPending}
          onConfirm={() => cancel.mutate()}
          onClose={() => setCancelling(false)}
        >
          <p>
            {job.status === "processing"
              ? text.job.cancelProcessing(graceMs === null ? null : formatDuration(graceMs))
              : text.job.cancelWarning}
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}
