import type { JobEvent } from "lockstep";

/** Which part of the realtime log a stream is for; null: whichever. */
export interface EventScope {
  readonly owner: string | null;
  readonly pipeline: string | null;
  readonly jobId: string | null;
}

export function isWithin(scope: EventScope, event: JobEvent): boolean {
  return (
    (scope.owner === null || scope.owner === event.owner) &&
    (scope.pipeline === null || scope.pipeline === event.pipeline) &&
    (scope.jobId === null || scope.jobId === event.jobId)
  );
}
