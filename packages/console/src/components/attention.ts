import type { Health, Pipeline, StageCount, Worker } from "../api/contract.ts";
import { formatNumber } from "../format/number.ts";
import { text } from "../text/text.ts";
import { reportsOf, servedBy } from "./funnel.ts";
import { workerState } from "./worker-state.ts";

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
  readonly now: Date;
}

/** What a person should see to, the weightiest first. */
export function needsAttention({ pipelines, stats, workers, health, now }: Sources): Attention[] {
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
    if (pending === 0) return [];
    if (stage.pausedAt !== null) {
      return [{ sentence: text.overview.pausedStage(place, text.common.jobs(pending)), to }];
    }
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
  return [...deserted, ...lost, ...broken, ...unhealthy];
}
