import type { JobEvent } from "lockstep";
import type { Output } from "../output/output.ts";
import type { Paint } from "../output/paint.ts";

const brushes: Partial<Record<JobEvent["kind"], keyof Paint>> = {
  "job.completed": "green",
  "job.failed": "red",
  "job.retrying": "yellow",
  "job.lost": "yellow",
  "job.claimed": "blue",
  "job.progress": "dim",
};

/** One event of the realtime log as a line for people. */
export function eventLine(
  { kind, at, jobId, pipeline, stage, owner, detail }: JobEvent,
  output: Output,
): string {
  const brush = brushes[kind];
  const word = kind.slice("job.".length).padEnd(16);
  const parts = [
    output.paint.dim(at.toISOString()),
    brush === undefined ? word : output.paint[brush](word),
    jobId,
    `${pipeline}/${stage}`,
    owner === null ? "" : `owner ${owner}`,
    detailText(detail),
  ];
  return parts
    .filter((part) => part !== "")
    .map((part, place) => (place > 2 ? output.safe(part) : part))
    .join("  ");
}

function detailText({ attempt, nextStage, error, percent, note, signal, by }: JobEvent["detail"]): string {
  const parts = [
    percent === undefined ? "" : `${percent} %`,
    note ?? "",
    signal === undefined ? "" : `signal ${signal}${by == null ? "" : ` by ${by}`}`,
    nextStage === undefined ? "" : `on to ${nextStage}`,
    error === undefined ? "" : `${error.name ?? "Error"}: ${error.message ?? ""}`,
    attempt === undefined || attempt < 2 ? "" : `attempt ${attempt}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
}
