import type { StageCount } from "lockstep";

// Those that the document shows whatever they count; of the others only what there is.
const always: readonly string[] = ["pending", "processing", "completed"];

/** The queue by type of job and status, in the layout of the document it comes from. */
export function queueStatsText(counts: readonly StageCount[], types: readonly string[]): string {
  const totals = new Map<string, number>();
  for (const { pipeline, status, jobs } of counts) {
    if (!types.includes(pipeline) || (jobs === 0 && !always.includes(status))) continue;
    const line = `${pipeline} - ${status}`;
    totals.set(line, (totals.get(line) ?? 0) + jobs);
  }
  const lines = [...totals].map(([line, jobs]) => `   ${line}: ${jobs.toLocaleString("en-US")}`);
  return ["📊 Queue Statistics:", ...lines].join("\n");
}
