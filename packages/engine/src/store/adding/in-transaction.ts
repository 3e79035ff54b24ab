import type { Added, JobStatus } from "../../jobs/reading/job.ts";
import type { OpenTransaction } from "../transactions/open-transaction.ts";
import type { Claim } from "../working/claim.ts";
import { arePayloadsChecked, type EncodedJob } from "./add-jobs.ts";

// All parameters and columns are texts: every client passes a text as it is, and other types each in its own way. One of
// them encodes a jsonb parameter as JSON once more.
const addText = `select coalesce(json_agg(json_build_array(a.number, a.id, a.created, a.status)), '[]')::text as answer
from lockstep.add_jobs(p_jobs => $1::text::jsonb, p_payloads_are_checked => $2::text::boolean)
  with ordinality as a (id, created, status, number)
where not (a.created and a.status = 'pending')`;

const addNewText = `select coalesce(json_agg(json_build_array(a.number, a.id, a.created, a.status)), '[]')::text as answer
from lockstep.add_new_jobs(p_jobs => $1::text::jsonb, p_payloads_are_checked => $2::text::boolean)
  with ordinality as a (id, created, status, number)
where not (a.created and a.status = 'pending')`;

const completeText = `select lockstep.complete_held_job(
  p_id => $1::text::uuid, p_claim_token => $2::text::uuid, p_output => $3::text::jsonb, p_log => $4::text::jsonb
)::text as answer`;

const failText = `select lockstep.fail_held_job(
  p_id => $1::text::uuid, p_claim_token => $2::text::uuid, p_error => $3::text::jsonb, p_log => $4::text::jsonb
)::text as answer`;

const assertText = `select lockstep.assert_lease(p_id => $1::text::uuid, p_claim_token => $2::text::uuid)::text as answer`;

/** Adds all or none, as far as the transaction commits. */
export async function addJobsIn(tx: OpenTransaction, jobs: readonly EncodedJob[]): Promise<Added[]> {
  const areIdsNew = jobs.every((job) => job.isIdOurs);
  const json = `[${jobs.map((job) => job.json).join(",")}]`;
  const answer = await tx.answer(areIdsNew ? addNewText : addText, [json, String(arePayloadsChecked(jobs))]);
  const added: Added[] = jobs.map(({ id }) => ({ id, created: true, status: "pending" }));
  const rows: [number: number, id: string, created: boolean, status: JobStatus][] = JSON.parse(
    answer ?? "[]",
  );
  for (const [number, id, created, status] of rows) added[number - 1] = { id, created, status };
  return added;
}

/** Finishes the claim's stage if the transaction commits. Output and log are JSON texts. */
export async function completeJobIn(
  tx: OpenTransaction,
  claim: Claim,
  output: string | null,
  log: string | null,
): Promise<void> {
  await tx.answer(completeText, [claim.jobId, claim.token, output, log]);
}

/** Fails the job for good if the transaction commits. Error and log are JSON texts. */
export async function failJobIn(
  tx: OpenTransaction,
  claim: Claim,
  error: string,
  log: string | null,
): Promise<void> {
  await tx.answer(failText, [claim.jobId, claim.token, error, log]);
}

/** Raises LS006 unless the claim holds; if it does, it holds until the transaction ends. */
export async function assertLeaseIn(tx: OpenTransaction, claim: Claim): Promise<void> {
  await tx.answer(assertText, [claim.jobId, claim.token]);
}
