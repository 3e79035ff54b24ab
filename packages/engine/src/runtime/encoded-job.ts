import { type AddOptions, checkAddOptions } from "../jobs/add-options.ts";
import { encodePayload } from "../jobs/json-value.ts";
import type { AnyPipeline } from "../jobs/pipeline.ts";
import { validatePayload } from "../jobs/standard-schema.ts";
import { newJobId } from "./new-job-id.ts";

/** A checked job as JSON text for add_jobs, without the last brace: what follows depends on the sending. */
export interface EncodedJob {
  readonly open: string;
  readonly isIdOurs: boolean;
}

export async function encodeJob(
  pipeline: AnyPipeline,
  payload: unknown,
  options: AddOptions,
  now: Date,
): Promise<EncodedJob> {
  checkAddOptions(options);
  const json = encodePayload(payload);
  // As the handler will read it. The schema's own changes are not stored: it reads the payload again before each run.
  if (pipeline.payload !== null) await validatePayload(pipeline.payload, JSON.parse(json));
  const { priority, scheduledFor, dedupKey, owner, tags, id } = options;
  const rest = JSON.stringify({
    pipeline: pipeline.name,
    id: id ?? newJobId(now),
    priority,
    scheduledFor,
    dedupKey,
    owner,
    tags,
  });
  return { open: `${rest.slice(0, -1)},"payload":${json}`, isIdOurs: id === undefined };
}

/** Only an id that was drawn for this sending cannot have finished already; the database then need not look. */
export function closedJob(job: EncodedJob, isResent: boolean): string {
  return job.isIdOurs && !isResent ? `${job.open},"idIsNew":true}` : `${job.open}}`;
}
