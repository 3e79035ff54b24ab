import { generateText as ask, type FlexibleSchema, type InferSchema, Output } from "ai";
import { checkedEnd, type GeneratedObject } from "./generated.ts";
import { aboutOf, type ModelCallContext, type ModelCallOptions, modelCall } from "./model-call.ts";
import { modelUsageOf } from "./model-usage.ts";
import { type GenerateSettings, sdkSettings } from "./text-options.ts";

/** What the answer must look like. */
export interface SchemaOptions<Schema extends FlexibleSchema> {
  /** Of zod, valibot, arktype or any other library of the Standard Schema, or `jsonSchema()` of the AI SDK. */
  readonly schema: Schema;
  /** Some providers tell their model. */
  readonly schemaName?: string | undefined;
  readonly schemaDescription?: string | undefined;
}

/** What `generateObject` takes: a key, a schema, and what the AI SDK's `generateText` takes. */
export type GenerateObjectOptions<Schema extends FlexibleSchema> = ModelCallOptions &
  SchemaOptions<Schema> &
  GenerateSettings;

/**
 * Asks a model for an answer in the form of a schema. Any other form fails the attempt, with a sentence that says what is wrong. A good answer is
 * kept as that of `generateText` is.
 */
export function generateObject<Schema extends FlexibleSchema>(
  context: ModelCallContext,
  options: GenerateObjectOptions<Schema>,
): Promise<GeneratedObject<InferSchema<Schema>>> {
  return modelCall(context, options, async (told) => {
    const { schema, schemaName, schemaDescription, ...settings } = sdkSettings(options);
    const output = outputOf(options);
    const result = await ask({ ...settings, ...told, output } as Parameters<typeof ask>[0]);
    const usage = modelUsageOf(result.totalUsage);
    checkedEnd(aboutOf(options), result.finishReason, usage);
    return {
      object: result.output as GeneratedObject<InferSchema<Schema>>["object"],
      finishReason: result.finishReason,
      usage,
      modelId: result.response.modelId,
    };
  });
}

/** The same as the AI SDK has it. */
export function outputOf<Schema extends FlexibleSchema>({
  schema,
  schemaName,
  schemaDescription,
}: SchemaOptions<Schema>) {
  return Output.object({
    schema,
    ...(schemaName === undefined ? {} : { name: schemaName }),
    ...(schemaDescription === undefined ? {} : { description: schemaDescription }),
  });
}
