import type { JobStatus } from "../../api/contract.ts";
import { text } from "../../text/text.ts";
import type { JobListProps } from "./job-table.tsx";

/** Each status in the order in which its jobs matter. */
export function sortOf(status: JobStatus | undefined): string | undefined {
  if (status === "failed" || status === "cancelled") return "-finishedAt";
  if (status === "scheduled" || status === "retrying") return "scheduledFor";
  return status === "processing" ? "claimedAt" : undefined;
}

/** The list shows the time by which it is sorted. */
export function timeOf(status: JobStatus | undefined): JobListProps["time"] {
  if (status === "failed" || status === "cancelled")
    return { name: text.jobs.finished, at: (job) => job.finishedAt };
  if (status === "processing") return { name: text.jobs.claimed, at: (job) => job.claimedAt };
  return { name: text.jobs.added, at: (job) => job.addedAt };
}
