import type { StandardSchemaV1 } from "@standard-schema/spec";
import { pointerTo } from "./json-refusal.ts";
import { InvalidPayloadError, type PayloadIssue } from "./json-value.ts";

const issuesShown = 20;

/**
 * The payload as its schema makes it, or an InvalidPayloadError with every issue. Answers without a promise
 * when the schema does. What the schema itself throws is passed on: that is not the payload's fault.
 */
export function validatePayload<Schema extends StandardSchemaV1>(
  schema: Schema,
  payload: unknown,
): StandardSchemaV1.InferOutput<Schema> | Promise<StandardSchemaV1.InferOutput<Schema>> {
  const result = schema["~standard"].validate(payload);
  return "then" in result ? Promise.resolve(result).then(acceptedValue) : acceptedValue(result);
}

function acceptedValue<Output>(result: StandardSchemaV1.Result<Output>): Output {
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(({ path, message }) => ({ pointer: pointerOf(path ?? []), message }));
  throw new InvalidPayloadError(sentenceOf(issues), issues);
}

function sentenceOf(issues: readonly PayloadIssue[]): string {
  const shown = issues
    .slice(0, issuesShown)
    .map(({ pointer, message }) => `${pointer || "payload"}: ${message}`);
  if (issues.length > issuesShown) shown.push(`and ${issues.length - issuesShown} more`);
  return `The payload is not valid: ${shown.join("; ")}.`;
}

function pointerOf(path: ReadonlyArray<PropertyKey | StandardSchemaV1.PathSegment>): string {
  return path.reduce<string>(
    (pointer, segment) => pointerTo(pointer, typeof segment === "object" ? segment.key : segment),
    "",
  );
}
