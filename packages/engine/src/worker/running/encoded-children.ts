import { AddOptionError, checkAddOptions } from "../../jobs/adding/add-options.ts";
import type { PlannedChild } from "../../jobs/adding/fan-out.ts";
import { encodePayload } from "../../jobs/values/json-value.ts";
import { validatePayload } from "../../jobs/values/standard-schema.ts";

const childrenPerCall = 1_000;
const charactersPerCall = 4_000_000;

/** Children as JSON arrays, each of a size that one call takes. Every payload has passed its pipeline's schema. */
export async function encodeChildren(children: readonly PlannedChild[]): Promise<string[]> {
  const chunks: string[] = [];
  let chunk: string[] = [];
  let characters = 0;
  for (const planned of children) {
    const child = await encodeChild(planned);
    if (chunk.length === childrenPerCall || characters + child.length > charactersPerCall) {
      chunks.push(`[${chunk.join(",")}]`);
      chunk = [];
      characters = 0;
    }
    chunk.push(child);
    characters += child.length;
  }
  chunks.push(`[${chunk.join(",")}]`);
  return chunks;
}

async function encodeChild({ pipeline, item, branch, onFailure }: PlannedChild): Promise<string> {
  const place = { ...(branch !== undefined && { branch }), ...(onFailure !== undefined && { onFailure }) };
  if (item === null) return JSON.stringify({ pipeline: pipeline.name, ...place });
  const { payload, ...options } = item;
  checkAddOptions(options);
  for (const name of ["id", "dedupKey"]) {
    if (Object.hasOwn(options, name)) throw new AddOptionError(`A child of a fan-out takes no "${name}".`);
  }
  const encoded = encodePayload(payload);
  if (pipeline.payload !== null) await validatePayload(pipeline.payload, JSON.parse(encoded));
  const more = JSON.stringify({ ...options, ...place }).slice(1);
  // A pipeline's name has no character that JSON would escape.
  return `{"pipeline":"${pipeline.name}","payload":${encoded}${more === "}" ? "}" : `,${more}`}`;
}
