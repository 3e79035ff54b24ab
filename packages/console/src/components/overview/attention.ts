import type { Health, Pipeline, StageCount, Worker } from "../../api/contract.ts";
import { formatNumber } from "../../format/number.ts";
import { text } from "../../text/text.ts";
import { reportsOf, servedBy } from "../pipelines/funnel.ts";
import { workerState } from "../workers/worker-state.ts";

export interface Attention {
  readonly sentence: string;
  /** Where to look. */
  readonly to: string;
}

interface Sources {
  readonly pipelines: readonly Pipeline[];
  readonly stats: readonly StageCount[];
  readonly workers: readonly Worker[];
  readonly health: Health | undefined;
  /** How many jobs failed in the time the page looks back over; null while it is not known. */
  readonly failed: number | null;
  readonly now: Date;
}

/** What needs a person's attention, most important first. */
export function needsAttention({ pipelines, stats, workers, health, failed, now }: Sources): Attention[] {
  const waiting = (pipeline: string, stage: string) =>
    stats
      .filter((count) => count.pipeline === pipeline && count.stage === stage && count.status === "pending")
      .reduce((sum, { jobs }) => sum + jobs, 0);
  const stages = pipelines.flatMap((pipeline) =>
    pipeline.stages.map((stage) => ({ pipeline: pipeline.name, stage })),
  );
  const deserted = stages.flatMap(({ pipeline, stage }): Attention[] => {
    const pending = waiting(pipeline, stage.name);
    const place = `${pipeline}/${stage.name}`;
    const to = `/pipelines/${encodeURIComponent(pipeline)}`;
    if (stage.pausedAt !== null) {
      const waits = pending === 0 ? null : text.common.jobs(pending);
      return [{ sentence: text.overview.pausedStage(place, waits), to }];
    }
    if (pending === 0) return [];
    return servedBy(workers, pipeline, stage.name).workers === 0
      ? [{ sentence: text.overview.noWorker(place, text.common.jobs(pending)), to }]
      : [];
  });
  const lost = workers
    .filter((worker) => workerState(worker, now) === "lost")
    .map(({ name }) => ({ sentence: text.overview.lostWorker(name), to: "/workers" }));
  const broken = workers
    .filter(({ isAlive }) => isAlive)
    .flatMap(reportsOf)
    .filter(({ error }) => error > 0)
    .map(({ pipeline, stage, error }) => ({
      sentence: text.overview.brokenProcessors(`${pipeline}/${stage}`, error),
      to: "/workers",
    }));
  const unhealthy = (health?.checks ?? [])
    // Said above already, with names.
    .filter(({ ok, check }) => !ok && !/lost workers|without a worker/.test(check))
    .map(({ check, value }) => ({
      sentence: text.overview.unhealthy(
        `${check}${typeof value === "number" ? ` ${formatNumber(value)}` : ""}`,
      ),
      to: "/system",
    }));
  const failures =
    failed === null || failed === 0
      ? []
      : [{ sentence: text.overview.recentFailures(text.common.jobs(failed)), to: "/errors" }];
  return [...deserted, ...lost, ...failures, ...broken, ...unhealthy];
}
