import { type AddOptions, checkAddOptions } from "../../jobs/adding/add-options.ts";
import type { AnyPipeline } from "../../jobs/pipelines/pipeline.ts";
import { encodePayload } from "../../jobs/values/json-value.ts";
import { validatePayload } from "../../jobs/values/standard-schema.ts";
import type { EncodedJob } from "../../store/adding/add-jobs.ts";
import { newJobId } from "./new-job-id.ts";

/** Checks everything but the pipeline's own schema. Writes the JSON by hand, since an add may have many thousands of jobs. */
export function encodeJob(
  pipeline: AnyPipeline,
  payload: unknown,
  options: AddOptions,
  now: Date,
  trace: string | null = null,
): EncodedJob {
  checkAddOptions(options);
  const { id: ownId, ...others } = options;
  const id = ownId ?? newJobId(now);
  // A pipeline's name has no character that JSON would escape.
  const payloadJson = encodePayload(payload);
  let start = `{"pipeline":"${pipeline.name}","id":"${id}","payload":${payloadJson}`;
  if (trace !== null) start += `,"trace":"${trace}"`;
  const more = JSON.stringify(others).slice(1);
  const isIdOurs = ownId === undefined;
  const isPayloadChecked = false;
  if (more !== "}") return { id, json: `${start},${more}`, isIdOurs, isPayloadChecked };
  const json = `${start}}`;
  if (trace !== null) return { id, json, isIdOurs, isPayloadChecked };
  return { id, json, isIdOurs, isPayloadChecked, plain: { pipeline: pipeline.name, payloadJson } };
}

/** Checks the schema as well, with the payload as the handler will see it. What the schema changes is not stored: it reads the payload again before the handler runs. */
export async function encodeCheckedJob(
  pipeline: AnyPipeline,
  payload: unknown,
  options: AddOptions,
  now: Date,
  trace: string | null = null,
): Promise<EncodedJob> {
  const job = encodeJob(pipeline, payload, options, now, trace);
  if (pipeline.payload === null) return job;
  await validatePayload(pipeline.payload, JSON.parse(job.json).payload);
  return { ...job, isPayloadChecked: true };
}
