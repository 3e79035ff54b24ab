import type { StageCount } from "lockstep";

// These are shown even if they are zero; the others only if there are any.
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
