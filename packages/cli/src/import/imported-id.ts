import { createHash } from "node:crypto";
import type { SourceJob, SourceKind } from "./source.ts";

/**
 * The id here of a job there: always the same, so that a repeated import finds the job instead of adding it again. It has
 * the form of the ids that are drawn here, with the time at which the job was made, so that lists show it in its place.
 */
export function importedId(kind: SourceKind, queue: string, job: SourceJob): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([kind, queue, job.identity]))
    .digest("hex");
  const time = Math.max(0, job.createdAt.getTime()).toString(16).padStart(12, "0").slice(-12);
  const variant = ((Number.parseInt(digest.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  return [
    time.slice(0, 8),
    time.slice(8),
    `7${digest.slice(0, 3)}`,
    `${variant}${digest.slice(4, 7)}`,
    digest.slice(7, 19),
  ].join("-");
}
