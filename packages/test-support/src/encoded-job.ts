import { randomUUID } from "node:crypto";

let made = 0;

/** A job as the engine's store takes it, under an id in the order of making. */
export function encodedJob(job: { id?: string; [more: string]: unknown }) {
  made += 1;
  const time = (Date.now() + made).toString(16).padStart(12, "0");
  const id = job.id ?? `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
  return {
    id,
    json: JSON.stringify({ ...job, id }),
    isIdOurs: job.id === undefined,
    isPayloadChecked: false,
  };
}
