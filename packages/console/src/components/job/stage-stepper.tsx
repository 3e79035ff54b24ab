import { ChevronRight } from "lucide-react";
import type { Attempt, Branch, Job } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { Duration } from "../shared/relative-time.tsx";
import { type ShownStatus, StatusIcon, statusColour } from "../shared/status-badge.tsx";
import { BranchList } from "./branch-list.tsx";
import { WaitIcon, type WaitKind } from "./wait-mark.tsx";

export interface StageStepperProps {
  readonly job: Pick<Job, "status" | "stage" | "attempts" | "wait" | "waits">;
  readonly stages: readonly string[];
  /** Stages that are paused. */
  readonly paused: ReadonlySet<string>;
  /** Stages that no worker runs. */
  readonly kinds: ReadonlyMap<string, WaitKind>;
  /** By stage, the children that it waits for, or has waited for. */
  readonly branches: ReadonlyMap<string, readonly Branch[]>;
}

/** How a step is drawn if it is not drawn as a status: to come, skipped, or never reached because the job finished early. */
type Unrun = "ahead" | "skipped" | "leftOut";

const unrunText: Record<Unrun, string> = {
  ahead: text.job.ahead,
  skipped: text.job.skipped,
  leftOut: text.job.leftOutStage,
};

/** The stages in a row: what is behind the job, where it stands, what is still to come. */
export function StageStepper({ job, stages, paused, kinds, branches }: StageStepperProps) {
  const current = stages.indexOf(job.stage);
  return (
    <ol className="flex flex-col gap-2 sm:flex-row sm:items-stretch sm:gap-0 sm:overflow-x-auto sm:pb-1">
      {stages.map((stage, index) => {
        const tries = job.attempts.filter((attempt) => attempt.stage === stage);
        const kind = kinds.get(stage);
        const isSkipped = tries.at(-1)?.outcome === "skipped";
        const status = stepStatus(job.status, index, current, paused.has(stage), isSkipped);
        const children = branches.get(stage);
        return (
          <li key={stage} className="flex min-w-0 items-start sm:shrink-0">
            {index > 0 && (
              <ChevronRight size={18} aria-hidden className="mx-1 mt-4 hidden shrink-0 text-muted sm:block" />
            )}
            <div className="min-w-0 flex-1">
              <div
                aria-current={index === current ? "step" : undefined}
                className={cn(
                  "flex min-w-44 flex-1 items-center gap-2.5 rounded-lg border px-3 py-2",
                  isUnrun(status) ? "border-dashed text-muted" : "bg-page",
                  index === current && !isUnrun(status) && cn("border-current", statusColour(status)),
                )}
              >
                {isUnrun(status) ? (
                  <span className="flex size-5 items-center justify-center rounded-full border border-edge text-2xs">
                    {status === "skipped" ? (
                      "–"
                    ) : kind === undefined ? (
                      index + 1
                    ) : (
                      <WaitIcon kind={kind} size={11} />
                    )}
                  </span>
                ) : kind !== undefined && status === "scheduled" ? (
                  <WaitIcon kind={kind} size={20} className={statusColour(status)} />
                ) : (
                  <StatusIcon status={status} size={20} />
                )}
                <div className="min-w-0 text-ink">
                  <p className={cn("truncate font-medium", isUnrun(status) && "text-muted")}>{stage}</p>
                  <p className="text-xs text-muted">
                    {kind !== undefined && !isUnrun(status) ? (
                      <WaitStep job={job} stage={stage} kind={kind} status={status} />
                    ) : (
                      <>
                        {isUnrun(status) ? unrunText[status] : text.status[status]}
                        {!isSkipped && <Tries tries={tries} />}
                      </>
                    )}
                  </p>
                </div>
              </div>
              {children !== undefined && <BranchList stage={stage} branches={children} />}
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
  isSkipped: boolean,
): ShownStatus | Unrun {
  if (status === "completed" && index > current) return "leftOut";
  if (status === "completed" || index < current) return isSkipped ? "skipped" : "completed";
  if (index > current) return "ahead";
  return isPaused && (status === "pending" || status === "retrying") ? "paused" : status;
}

function isUnrun(status: ShownStatus | Unrun): status is Unrun {
  return status === "ahead" || status === "skipped" || status === "leftOut";
}
