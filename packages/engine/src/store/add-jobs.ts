import type { Added, JobStatus } from "../jobs/job.ts";
import type { Statement } from "./database.ts";

/** A job as JSON text for add_jobs. */
export interface EncodedJob {
  readonly id: string;
  readonly json: string;
  /** Whether the id was drawn here, and not by the caller. */
  readonly isIdOurs: boolean;
}

/** More than this travel in several calls. */
export const jobsPerCall = 1_000;

interface AddedRow {
  id: string;
  created: boolean;
  status: JobStatus | null;
  /** Which job of the call, from 1. */
  number: string;
}

// Most jobs are new and pending, as their caller expects: of a thousand of those nothing need be sent back.
const text = `select a.id, a.created, a.status, a.number
from lockstep.add_jobs(p_jobs => $1, p_ids_are_new => $2) with ordinality as a (id, created, status, number)
where not (a.created and a.status = 'pending')`;

/** Adds all or none. Every job has an id; one that was drawn for this very sending cannot have finished already. */
export async function addJobs(
  query: (statement: Statement) => Promise<unknown[]>,
  jobs: readonly EncodedJob[],
  isResent: boolean,
): Promise<Added[]> {
  const areIdsNew = !isResent && jobs.every((job) => job.isIdOurs);
  const values = [`[${jobs.map(({ json }) => json).join(",")}]`, areIdsNew];
  const rows = (await query({ name: "lockstep_add_jobs", text, values })) as AddedRow[];
  const added: Added[] = jobs.map(({ id }) => ({ id, created: true, status: "pending" }));
  for (const { id, created, status, number } of rows) added[Number(number) - 1] = { id, created, status };
  return added;
}
