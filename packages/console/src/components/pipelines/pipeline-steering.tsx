import { useMutation, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import type { BulkStart } from "../../api/bulk-api.ts";
import { useMay } from "../../api/me-api.ts";
import { pauseStage, pipelinesQuery, resumeStage } from "../../api/pipelines-api.ts";
import { formatNumber, formatRate } from "../../format/number.ts";
import { useMedia } from "../../shell/use-media.ts";
import { text } from "../../text/text.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/toasts.ts";
import { BulkDialog } from "../bulk/bulk-dialog.tsx";
import { ConfirmDialog } from "../shared/confirm-dialog.tsx";
import { tellFailure } from "../shared/tell-failure.ts";
import type { FunnelStage } from "./funnel.ts";
import { StageCards } from "./stage-cards.tsx";
import { StageFunnel } from "./stage-funnel.tsx";

export interface PipelineSteeringProps {
  readonly pipeline: string;
  readonly stages: readonly FunnelStage[];
}

/** The funnel with what can be done to its stages: pause, resume, retry what failed. */
export function PipelineSteering({ pipeline, stages }: PipelineSteeringProps) {
  const mayPause = useMay("stages.pause");
  const mayRetry = useMay("jobs.retry");
  const Funnel = useMedia("(max-width: 63.99rem)") ? StageCards : StageFunnel;
  const [pausing, setPausing] = useState<string | null>(null);
  const [bulk, setBulk] = useState<BulkStart | null>(null);
  const steer = useSteering(pipeline);
  const failing = stages.filter(({ failed }) => failed > 0);
  return (
    <>
      <Funnel
        pipeline={pipeline}
        stages={stages}
        onPause={
          mayPause
            ? (stage, isPaused) => (isPaused ? setPausing(stage) : steer.mutate({ stage, isPaused }))
            : null
        }
      />
      <BottleneckLine stages={stages} />
      {mayRetry && failing.length > 0 && (
        <div className="flex flex-wrap items-center gap-2 border-t px-4 py-2">
          {failing.map(({ name, failed }) => (
            <Button
              key={name}
              size="small"
              onClick={() =>
                setBulk({ action: "retry", filter: `status:failed pipeline:${pipeline} stage:${name}` })
              }
            >
              <RotateCw size={13} aria-hidden /> {text.pipelines.retryFailed(formatNumber(failed))}
              <span className="text-muted">{name}</span>
            </Button>
          ))}
        </div>
      )}
      {pausing !== null && (
        <ConfirmDialog
          title={text.pipelines.pauseTitle(pausing)}
          confirm={text.pipelines.pause}
          isBusy={steer.isPending}
          onClose={() => setPausing(null)}
          onConfirm={() =>
            steer.mutate({ stage: pausing, isPaused: true }, { onSettled: () => setPausing(null) })
          }
        >
          <p>{text.pipelines.pauseWarning}</p>
        </ConfirmDialog>
      )}
      {bulk !== null && (
        <BulkDialog start={bulk} onClose={() => setBulk(null)} onStarted={() => setBulk(null)} />
      )}
    </>
  );
}

function useSteering(pipeline: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ stage, isPaused }: { stage: string; isPaused: boolean }) =>
      isPaused ? pauseStage(pipeline, stage) : resumeStage(pipeline, stage),
    onSuccess: (_, { stage, isPaused }) => {
      toast(
        isPaused
          ? { kind: "done", message: text.pipelines.pausedToast(stage), detail: text.pipelines.pausedDetail }
          : { kind: "done", message: text.pipelines.resumedToast(stage) },
      );
      void client.invalidateQueries({ queryKey: pipelinesQuery.queryKey });
    },
    onError: tellFailure,
  });
}

function BottleneckLine({ stages }: { readonly stages: readonly FunnelStage[] }) {
  const stage = stages.find(({ isBottleneck }) => isBottleneck);
  if (stage === undefined) return null;
  const { busy, idle, error } = stage.processors;
  const grows = stage.growthPerMinute >= 0.5;
  return (
    <p className="border-t px-4 py-2 text-table text-retrying">
      {grows
        ? text.pipelines.bottleneckGrows(stage.name, formatRate(stage.growthPerMinute))
        : text.pipelines.bottleneckWaits(stage.name, formatNumber(stage.pending), busy + idle + error)}
    </p>
  );
}
