import type { Added, JobStatus } from "../jobs/job.ts";
import type { Statement } from "./database.ts";

/** A job as JSON text for add_jobs. */
export interface EncodedJob {
  readonly id: string;
  readonly json: string;
  /** What the job consists of, when that is all. */
  readonly plain?: { readonly pipeline: string; readonly payloadJson: string };
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

const plainText = `select a.id, a.created, a.status, array_position($2::uuid[], a.id) as number
from lockstep.add_jobs_of_pipeline(p_pipeline => $1, p_ids => $2, p_payloads => $3, p_ids_are_new => true) a`;

/** Adds all or none. Every job has an id; one that was drawn for this very sending cannot have finished already. */
export async function addJobs(
  query: (statement: Statement) => Promise<unknown[]>,
  jobs: readonly EncodedJob[],
  isResent: boolean,
): Promise<Added[]> {
  const areIdsNew = !isResent && jobs.every((job) => job.isIdOurs);
  const rows = (await query((areIdsNew && plainStatement(jobs)) || statement(jobs, areIdsNew))) as AddedRow[];
  const added: Added[] = jobs.map(({ id }) => ({ id, created: true, status: "pending" }));
  for (const { id, created, status, number } of rows) added[Number(number) - 1] = { id, created, status };
  return added;
}

function statement(jobs: readonly EncodedJob[], areIdsNew: boolean): Statement {
  const values = [`[${jobs.map(({ json }) => json).join(",")}]`, areIdsNew];
  return { name: "lockstep_add_jobs", text, values };
}

/** For jobs of one pipeline that have nothing but their payloads; null when these are others. */
function plainStatement(jobs: readonly EncodedJob[]): Statement | null {
  const pipeline = jobs[0]?.plain?.pipeline;
  const ids: string[] = [];
  const payloads: string[] = [];
  for (const { id, plain } of jobs) {
    if (plain === undefined || plain.pipeline !== pipeline) return null;
    ids.push(id);
    payloads.push(plain.payloadJson);
  }
  const values = [pipeline, `{${ids.join(",")}}`, `[${payloads.join(",")}]`];
  return { name: "lockstep_add_jobs_of_pipeline", text: plainText, values };
}
