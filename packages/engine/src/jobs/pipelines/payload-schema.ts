import type { StandardSchemaV1 } from "@standard-schema/spec";

/** The JSON Schema of what `add` takes, from validators that can give one (Standard JSON Schema); null from the others. */
export function payloadSchemaOf(schema: StandardSchemaV1 | null): Record<string, unknown> | null {
  const { jsonSchema } = (schema?.["~standard"] ?? {}) as { jsonSchema?: JsonSchemaOf };
  try {
    return jsonSchema?.input({ target: "draft-2020-12" }) ?? null;
  } catch {
    // JSON Schema cannot express a part of it. Forms and checks elsewhere do without; the validator still checks it.
    return null;
  }
}

interface JsonSchemaOf {
  input(options: { target: string }): Record<string, unknown>;
}
