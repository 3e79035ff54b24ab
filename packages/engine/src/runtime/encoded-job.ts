import { type AddOptions, checkAddOptions } from "../jobs/add-options.ts";
import { encodePayload } from "../jobs/json-value.ts";
import type { AnyPipeline } from "../jobs/pipeline.ts";
import { validatePayload } from "../jobs/standard-schema.ts";
import { newJobId } from "./new-job-id.ts";

/** A checked job as JSON text for add_jobs. */
export interface EncodedJob {
  readonly id: string;
  readonly json: string;
  /** Whether the id was drawn here, and not by the caller. */
  readonly isIdOurs: boolean;
}

export async function encodeJob(
  pipeline: AnyPipeline,
  payload: unknown,
  options: AddOptions,
  now: Date,
): Promise<EncodedJob> {
  checkAddOptions(options);
  const payloadJson = encodePayload(payload);
  // As the handler will read it. The schema's own changes are not stored: it reads the payload again before each run.
  if (pipeline.payload !== null) await validatePayload(pipeline.payload, JSON.parse(payloadJson));
  const { priority, scheduledFor, dedupKey, owner, tags } = options;
  const id = options.id ?? newJobId(now);
  const rest = JSON.stringify({
    pipeline: pipeline.name,
    id,
    priority,
    scheduledFor,
    dedupKey,
    owner,
    tags,
  });
  return { id, json: `${rest.slice(0, -1)},"payload":${payloadJson}}`, isIdOurs: options.id === undefined };
}
