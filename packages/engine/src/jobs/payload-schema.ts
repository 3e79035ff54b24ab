import type { StandardSchemaV1 } from "@standard-schema/spec";

/** The JSON Schema of what `add` takes, from validators that can give one (Standard JSON Schema); null from the others. */
export function payloadSchemaOf(schema: StandardSchemaV1 | null): Record<string, unknown> | null {
  const { jsonSchema } = (schema?.["~standard"] ?? {}) as { jsonSchema?: JsonSchemaOf };
  try {
    return jsonSchema?.input({ target: "draft-2020-12" }) ?? null;
  } catch {
    // A part that JSON Schema has no word for. Forms and checks elsewhere then do without it; the validator itself does not.
    return null;
  }
}

interface JsonSchemaOf {
  input(options: { target: string }): Record<string, unknown>;
}
