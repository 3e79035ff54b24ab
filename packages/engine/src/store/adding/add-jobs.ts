import { brandError } from "@lockstep/database";
import type { Added, JobStatus } from "../../jobs/reading/job.ts";
import { type Expectation, expectationValues, type StageIds } from "../calls/expectation.ts";
import type { Statement } from "../connections/database.ts";

/** A job as JSON text for add_jobs. */
export interface EncodedJob {
  readonly id: string;
  readonly json: string;
  /** What the job consists of, when that is all. */
  readonly plain?: { readonly pipeline: string; readonly payloadJson: string };
  /** Whether the id was drawn here, and not by the caller. */
  readonly isIdOurs: boolean;
  /** Whether the pipeline's own validator has taken the payload; otherwise the database checks it against the stored schema. */
  readonly isPayloadChecked: boolean;
}

/** An add without an answer for each of its jobs says nothing about any of them. It is a fault of Lockstep's own. */
export class MissingAnswersError extends Error {
  static {
    brandError(MissingAnswersError, "MissingAnswersError");
  }

  override readonly name = "MissingAnswersError";

  constructor(jobs: number, answers: number) {
    super(
      `${jobs} jobs were to be added and ${answers} were answered for, so nothing was added. This is a fault in Lockstep: please report it, and add the jobs again.`,
    );
  }
}

/** More than this are sent in several calls. */
export const jobsPerCall = 1_000;

interface AddedRow {
  /** Null in a row that says only what was recognized. */
  id: string | null;
  created: boolean;
  status: JobStatus | null;
  /** Which job of the call, from 1. */
  number: string;
  /** Only from a first add. */
  stageIds?: StageIds;
}

/** For the first add of a process: what must hold, or nothing is added, and who is told of the stages if it does. */
export interface Recognition {
  readonly expected: Expectation;
  readonly onRecognized: (stageIds: StageIds) => void;
}

/** The database is not as it was expected to be, and so nothing was added. */
class UnexpectedDatabaseError extends Error {
  override readonly name = "UnexpectedDatabaseError";
}

// Most jobs are new and pending, as their caller expects: of a thousand of those nothing need be sent back.
const text = `select a.id, a.created, a.status, a.number
from lockstep.add_jobs(p_jobs => $1, p_payloads_are_checked => $2) with ordinality as a (id, created, status, number)
where not (a.created and a.status = 'pending')`;

const newText = `select a.id, a.created, a.status, a.number
from lockstep.add_new_jobs(p_jobs => $1, p_payloads_are_checked => $2) with ordinality as a (id, created, status, number)
where not (a.created and a.status = 'pending')`;

const plainText = `select a.id, a.created, a.status, array_position($2::uuid[], a.id) as number
from lockstep.add_jobs_of_pipeline(
  p_pipeline => $1, p_ids => $2, p_payloads => $3, p_payloads_are_checked => $4
) a`;

// The same for a first add. An argument of the add comes from the row before it: without that row it is not called.
const firstText = `select a.id, a.created, a.status, a.number, r.stage_ids as "stageIds"
from lockstep.recognize_pipelines(p_schema_version => $3, p_pipelines => $4) r
left join lateral lockstep.add_jobs(p_jobs => $1, p_payloads_are_checked => $2 and r.stage_ids is not null)
  with ordinality as a (id, created, status, number) on not (a.created and a.status = 'pending')`;

const firstNewText = `select a.id, a.created, a.status, a.number, r.stage_ids as "stageIds"
from lockstep.recognize_pipelines(p_schema_version => $3, p_pipelines => $4) r
left join lateral lockstep.add_new_jobs(p_jobs => $1, p_payloads_are_checked => $2 and r.stage_ids is not null)
  with ordinality as a (id, created, status, number) on not (a.created and a.status = 'pending')`;

const firstPlainText = `select a.id, a.created, a.status, array_position($2::uuid[], a.id) as number, r.stage_ids as "stageIds"
from lockstep.recognize_pipelines(p_schema_version => $5, p_pipelines => $6) r
left join lateral lockstep.add_jobs_of_pipeline(
  p_pipeline => $1, p_ids => $2, p_payloads => $3, p_payloads_are_checked => $4 and r.stage_ids is not null
) a on true`;

const texts = {
  lockstep_add_jobs: { text, firstText },
  lockstep_add_new_jobs: { text: newText, firstText: firstNewText },
  lockstep_add_jobs_of_pipeline: { text: plainText, firstText: firstPlainText },
};

interface AddCall {
  readonly name: keyof typeof texts;
  readonly values: readonly unknown[];
}

/** Adds all or none. Every job has an id; one that was drawn for this very sending cannot have finished already. */
export async function addJobs(
  query: (statement: Statement) => Promise<unknown[]>,
  jobs: readonly EncodedJob[],
  isResent: boolean,
  first?: Recognition,
): Promise<Added[]> {
  const areIdsNew = !isResent && jobs.every((job) => job.isIdOurs);
  const call = (areIdsNew && plainCall(jobs)) || givenCall(jobs, areIdsNew);
  const rows = (await query(statementOf(call, first))) as AddedRow[];
  const stageIds = rows[0]?.stageIds;
  if (first !== undefined) {
    if (stageIds === undefined) throw new UnexpectedDatabaseError();
    first.onRecognized(stageIds);
  }
  const added: Added[] = jobs.map(({ id }) => ({ id, created: true, status: "pending" }));
  for (const { id, created, status, number } of rows) {
    if (id !== null) added[Number(number) - 1] = { id, created, status };
  }
  return added;
}

function statementOf({ name, values }: AddCall, first: Recognition | undefined): Statement {
  const { text, firstText } = texts[name];
  if (first === undefined) return { name, text, values };
  return {
    name: `${name}_first`,
    text: firstText,
    values: [...values, ...expectationValues(first.expected)],
  };
}

function givenCall(jobs: readonly EncodedJob[], areIdsNew: boolean): AddCall {
  const values = [`[${jobs.map(({ json }) => json).join(",")}]`, arePayloadsChecked(jobs)];
  return { name: areIdsNew ? "lockstep_add_new_jobs" : "lockstep_add_jobs", values };
}

/** For jobs of one pipeline that have nothing but their payloads; null when these are others. */
function plainCall(jobs: readonly EncodedJob[]): AddCall | null {
  const pipeline = jobs[0]?.plain?.pipeline;
  const ids: string[] = [];
  const payloads: string[] = [];
  for (const { id, plain } of jobs) {
    if (plain === undefined || plain.pipeline !== pipeline) return null;
    ids.push(id);
    payloads.push(plain.payloadJson);
  }
  const values = [pipeline, `{${ids.join(",")}}`, `[${payloads.join(",")}]`, arePayloadsChecked(jobs)];
  return { name: "lockstep_add_jobs_of_pipeline", values };
}

export function arePayloadsChecked(jobs: readonly EncodedJob[]): boolean {
  return jobs.every((job) => job.isPayloadChecked);
}
