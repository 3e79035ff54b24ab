import type { JobEvent, LoggedEvent } from "lockstep";

/** Leaves out progress that the next report of the same job has overtaken: nobody would have seen it. */
export function withoutOvertakenProgress(events: readonly LoggedEvent[]): LoggedEvent[] {
  const reported = new Set<string>();
  return events
    .toReversed()
    .filter((event) => {
      if (event.kind !== "job.progress") return true;
      const key = keyOf(event);
      if (reported.has(key)) return false;
      reported.add(key);
      return true;
    })
    .reverse();
}

function keyOf({ jobId, stage }: JobEvent): string {
  return `${jobId} ${stage}`;
}
