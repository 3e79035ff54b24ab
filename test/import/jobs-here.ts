import type { TestDatabase } from "@lockstep/test-support";

export interface JobHere {
  readonly id: string;
  readonly status: string;
  readonly pipeline: string;
  readonly priority: number;
  readonly scheduled_for: Date | null;
  readonly dedup_key: string | null;
  readonly group_key: string | null;
  readonly tags: readonly string[] | null;
  readonly payload: { readonly n: number } & Readonly<Record<string, unknown>>;
}

const listJobs = `
  select j.id, j.status, p.name as pipeline, j.priority, j.scheduled_for, j.dedup_key, j.group_key, j.tags, j.payload
  from lockstep.jobs j
  join lockstep.pipelines p on p.id = j.pipeline_id
  order by j.position, j.scheduled_for, j.id`;

/** The live jobs of Lockstep, in the order in which they were added. */
export function jobsHere(db: Pick<TestDatabase, "query">): Promise<JobHere[]> {
  return db.query<JobHere>(listJobs);
}
