import { type AddOptions, checkAddOptions } from "../jobs/add-options.ts";
import { encodePayload } from "../jobs/json-value.ts";
import type { AnyPipeline } from "../jobs/pipeline.ts";
import { validatePayload } from "../jobs/standard-schema.ts";
import type { EncodedJob } from "../store/add-jobs.ts";
import { newJobId } from "./new-job-id.ts";

/** Everything but the pipeline's own schema is checked. By hand, since there may be many thousands in one add. */
export function encodeJob(
  pipeline: AnyPipeline,
  payload: unknown,
  options: AddOptions,
  now: Date,
  trace: string | null = null,
): EncodedJob {
  checkAddOptions(options);
  const { id: ownId, ...rest } = options;
  const id = ownId ?? newJobId(now);
  // A pipeline's name has no character that JSON would escape.
  const payloadJson = encodePayload(payload);
  let start = `{"pipeline":"${pipeline.name}","id":"${id}","payload":${payloadJson}`;
  if (trace !== null) start += `,"trace":"${trace}"`;
  const more = JSON.stringify(rest).slice(1);
  const isIdOurs = ownId === undefined;
  if (more !== "}") return { id, json: `${start},${more}`, isIdOurs };
  const plain = { pipeline: pipeline.name, payloadJson };
  return trace === null ? { id, json: `${start}}`, isIdOurs, plain } : { id, json: `${start}}`, isIdOurs };
}

/** With the schema too: it sees the payload as the handler will. Its changes are not stored, since it reads it again then. */
export async function encodeCheckedJob(
  pipeline: AnyPipeline,
  payload: unknown,
  options: AddOptions,
  now: Date,
  trace: string | null = null,
): Promise<EncodedJob> {
  const job = encodeJob(pipeline, payload, options, now, trace);
  if (pipeline.payload !== null) await validatePayload(pipeline.payload, JSON.parse(job.json).payload);
  return job;
}
