import type { Engine, JobSummary } from "lockstep";

const mostOfEach = 20;

export interface JobTrouble {
  readonly id: string;
  readonly type: string;
  readonly status: "retrying" | "failed";
  /** How often it was tried. */
  readonly attempt: number;
  readonly error: string;
  /** When it is tried again, or when it failed for good. */
  readonly at: Date | null;
}

/** What of a person's jobs is being retried, and what has failed for good, newest first. */
export async function jobTroubles(engine: Pick<Engine, "list">, owner: string): Promise<JobTrouble[]> {
  const [retrying, failed] = await Promise.all([
    engine.list({ owner, status: "retrying", limit: mostOfEach }),
    engine.list({ owner, status: "failed", limit: mostOfEach }),
  ]);
  return [
    ...retrying.map((job) => ({ ...troubleOf(job), status: "retrying" as const, at: job.scheduledFor })),
    ...failed.map((job) => ({ ...troubleOf(job), status: "failed" as const, at: job.finishedAt })),
  ];
}

function troubleOf({ id, pipeline, attempt, error }: JobSummary) {
  return { id, type: pipeline, attempt, error: error?.message ?? "It is not known why." };
}
