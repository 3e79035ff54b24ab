import type { JobStatus, Pipeline, StageCount, Worker } from "../../api/contract.ts";
import type { Count } from "./count-label.tsx";
import { filterWords, qualifier } from "./filter-words.ts";
import type { JobContext } from "./job-row-parts.tsx";

/** What a row needs to know besides its job. */
export function jobContext(pipelines: readonly Pipeline[], workers: readonly Worker[]): JobContext {
  return {
    stages: new Map(pipelines.map(({ name, stages }) => [name, stages.map((stage) => stage.name)])),
    attempts: new Map(
      pipelines.flatMap(({ name, stages }) =>
        stages.map((stage): [string, number] => [`${name}/${stage.name}`, stage.maxAttempts]),
      ),
    ),
    workers: new Map(workers.map(({ workerId, name }) => [workerId, name])),
  };
}

/** The counters know of pipelines, stages and statuses; null when the filter asks for anything else. */
export function countsFromStats(
  stats: readonly StageCount[],
  filter: string,
): Partial<Record<JobStatus, Count>> | null {
  if (filterWords(filter).some((word) => !/^(pipeline|stage):/.test(word))) return null;
  const [pipeline, stage] = [qualifier(filter, "pipeline"), qualifier(filter, "stage")];
  const counts: Partial<Record<JobStatus, Count>> = {};
  for (const each of stats) {
    if ((pipeline !== null && each.pipeline !== pipeline) || (stage !== null && each.stage !== stage))
      continue;
    counts[each.status] = {
      value: (counts[each.status]?.value ?? 0) + each.jobs,
      exact: true,
      capped: false,
    };
  }
  return counts;
}
