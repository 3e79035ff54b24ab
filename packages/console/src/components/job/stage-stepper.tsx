import { ChevronRight } from "lucide-react";
import type { Attempt, Job } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { Duration } from "../shared/relative-time.tsx";
import { type ShownStatus, StatusIcon, statusColour } from "../shared/status-badge.tsx";
import { WaitIcon, type WaitKind } from "./wait-mark.tsx";

export interface StageStepperProps {
  readonly job: Pick<Job, "status" | "stage" | "attempts" | "wait" | "waits">;
  readonly stages: readonly string[];
  /** Stages that are paused. */
  readonly paused: ReadonlySet<string>;
  /** Stages that no worker runs. */
  readonly kinds: ReadonlyMap<string, WaitKind>;
}

/** The stages in a row: what is behind the job, where it stands, what is still to come. */
export function StageStepper({ job, stages, paused, kinds }: StageStepperProps) {
  const current = stages.indexOf(job.stage);
  return (
    <ol className="flex flex-col gap-2 sm:flex-row sm:items-stretch sm:gap-0 sm:overflow-x-auto sm:pb-1">
      {stages.map((stage, index) => {
        const tries = job.attempts.filter((attempt) => attempt.stage === stage);
        const kind = kinds.get(stage);
        const status = stepStatus(job.status, index, current, paused.has(stage));
        return (
          <li key={stage} className="flex min-w-0 items-center sm:shrink-0">
            {index > 0 && (
              <ChevronRight size={18} aria-hidden className="mx-1 hidden shrink-0 text-muted sm:block" />
            )}
            <div
              aria-current={index === current ? "step" : undefined}
              className={cn(
                "flex min-w-44 flex-1 items-center gap-2.5 rounded-lg border px-3 py-2",
                status === "ahead" ? "border-dashed text-muted" : "bg-page",
                index === current && status !== "ahead" && cn("border-current", statusColour(status)),
              )}
            >
              {status === "ahead" ? (
                <span className="flex size-5 items-center justify-center rounded-full border border-edge text-2xs">
                  {kind === undefined ? index + 1 : <WaitIcon kind={kind} size={11} />}
                </span>
              ) : kind !== undefined && status === "scheduled" ? (
                <WaitIcon kind={kind} size={20} className={statusColour(status)} />
              ) : (
                <StatusIcon status={status} size={20} />
              )}
              <div className="min-w-0 text-ink">
                <p className={cn("truncate font-medium", status === "ahead" && "text-muted")}>{stage}</p>
                <p className="text-xs text-muted">
                  {kind === undefined || status === "ahead" ? (
                    <>
                      {status === "ahead" ? text.job.ahead : text.status[status]}
                      <Tries tries={tries} />
                    </>
                  ) : (
                    <WaitStep job={job} stage={stage} kind={kind} status={status} />
                  )}
                </p>
              </div>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** How a wait stands, or how it ended. */
function WaitStep({
  job,
  stage,
  kind,
  status,
}: Pick<StageStepperProps, "job"> & {
  readonly stage: string;
  readonly kind: WaitKind;
  readonly status: ShownStatus;
}) {
  const last = job.waits.findLast((wait) => wait.stage === stage);
  if (status === "scheduled" && job.wait !== null) {
    return (
      <>
        {kind === "wait" ? text.waits.waiting : text.waits.sleeping} · <Duration from={job.wait.since} />
      </>
    );
  }
  if (last === undefined) return text.status[status];
  return (
    <>
      {text.waits.outcome[last.outcome]}
      {last.by !== null && ` ${text.waits.by(last.by)}`} · <Duration from={last.since} to={last.endedAt} />
    </>
  );
}

function Tries({ tries }: { readonly tries: readonly Attempt[] }) {
  const last = tries.at(-1);
  if (last === undefined) return null;
  return (
    <>
      {" · "}
      <Duration from={last.claimedAt} to={last.endedAt} />
      {tries.length > 1 && ` · ${text.job.tries(tries.length)}`}
    </>
  );
}

function stepStatus(
  status: Job["status"],
  index: number,
  current: number,
  isPaused: boolean,
): ShownStatus | "ahead" {
  if (status === "completed" || index < current) return "completed";
  if (index > current) return "ahead";
  return isPaused && (status === "pending" || status === "retrying") ? "paused" : status;
}
