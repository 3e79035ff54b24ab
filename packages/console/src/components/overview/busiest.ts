import type { Pipeline, StageCount } from "../../api/contract.ts";

/** The pipeline with the most to do first; of those with nothing to do, the one that has done most. */
export function busiestFirst(pipelines: readonly Pipeline[], stats: readonly StageCount[]): Pipeline[] {
  const load = (name: string, wanted: readonly string[]) =>
    stats
      .filter(({ pipeline, status }) => pipeline === name && wanted.includes(status))
      .reduce((sum, { jobs }) => sum + jobs, 0);
  const score = ({ name }: Pipeline) => [
    load(name, ["pending", "processing", "retrying"]),
    load(name, ["completed"]),
  ];
  return [...pipelines].sort((one, other) => {
    const [live = 0, done = 0] = score(one);
    const [otherLive = 0, otherDone = 0] = score(other);
    return otherLive - live || otherDone - done || one.name.localeCompare(other.name);
  });
}
