import type { AnyPipeline, Engine } from "lockstep";
import { stageNames } from "./analysis-view.ts";

/** The processors of a stage on all workers, and how much there is for them to do. */
export interface StagePool {
  readonly stage: string;
  readonly processors: number;
  readonly busy: number;
  readonly waiting: number;
}

const waitingStatuses: readonly string[] = ["pending", "retrying", "scheduled"];

/** The pools of the three stages. That of a stage with branches is theirs: the stage itself only begins them. */
export async function stagePools(
  engine: Pick<Engine, "stats" | "workers">,
  pipeline: AnyPipeline,
): Promise<StagePool[]> {
  const [stats, workers] = await Promise.all([engine.stats(), engine.workers()]);
  const alive = workers.filter(
    ({ isAlive, stages }) => isAlive && stages.some((one) => one.includes(pipeline.name)),
  ).length;
  const poolOf = (name: string, stage: AnyPipeline["stages"][number]): Omit<StagePool, "stage"> => {
    const rows = stats.filter((row) => row.pipeline === name && row.stage === stage.name);
    const count = (statuses: readonly string[]) =>
      rows.filter(({ status }) => statuses.includes(status)).reduce((sum, { jobs }) => sum + jobs, 0);
    const processors = "options" in stage ? stage.options.processors * alive : 0;
    return { processors, busy: count(["processing"]), waiting: count(waitingStatuses) };
  };
  return stageNames.flatMap((name) => {
    const stage = pipeline.stages.find((one) => one.name === name);
    if (stage === undefined) return [];
    const branches = "branches" in stage ? (stage.branches ?? []) : [];
    const pools =
      branches.length === 0
        ? [poolOf(pipeline.name, stage)]
        : branches.flatMap(({ pipeline: branch }) => branch.stages.map((one) => poolOf(branch.name, one)));
    const sum = (key: keyof (typeof pools)[number]) => pools.reduce((total, pool) => total + pool[key], 0);
    return [{ stage: name, processors: sum("processors"), busy: sum("busy"), waiting: sum("waiting") }];
  });
}
