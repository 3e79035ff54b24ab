import { streamText as ask, type FlexibleSchema, type InferSchema, parsePartialJson } from "ai";
import type { Jsonify } from "lockstep";
import { CallStream } from "./call-stream.ts";
import { outputOf, type SchemaOptions } from "./generate-object.ts";
import type { GeneratedObject } from "./generated.ts";
import { aboutOf, type ModelCallContext, type ModelCallOptions, modelCall } from "./model-call.ts";
import { readStream, silently } from "./read-stream.ts";
import { type StreamSettings, sdkSettings } from "./text-options.ts";

/** An object of which a part has come: nothing in it is sure to be there. */
export type Partially<Value> = Value extends readonly (infer Item)[]
  ? readonly Partially<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]?: Partially<Value[Key]> | undefined }
    : Value;

/** What `streamObject` takes: a key, a schema, a stream, and what the AI SDK's `streamText` takes. */
export type StreamObjectOptions<Schema extends FlexibleSchema> = ModelCallOptions &
  SchemaOptions<Schema> &
  StreamSettings & {
    /** The stream of the job that gets the words. Each call has one of its own. */
    readonly stream: string;
    /** The words of what has come so far, for readers. What has come is not checked yet. */
    readonly toText: (soFar: Partially<Jsonify<InferSchema<Schema>>>) => string;
  };

/** Asks for an answer in the form of a schema as `generateObject` does, and writes its words to a stream of the job as they come. */
export async function streamObject<Schema extends FlexibleSchema>(
  context: ModelCallContext,
  options: StreamObjectOptions<Schema>,
): Promise<GeneratedObject<InferSchema<Schema>>> {
  type Value = GeneratedObject<InferSchema<Schema>>["object"];
  const { stream, toText, schema, schemaName, schemaDescription, ...settings } = sdkSettings(options);
  const wordsOf = (value: unknown) => toText(value as Partially<Value>);
  return await CallStream.during(context, stream, async (shown) => {
    let isKept = true;
    const answer = await modelCall(context, options, async (told) => {
      isKept = false;
      const output = outputOf(options);
      const result = ask({ onError: silently, ...settings, ...told, output } as Parameters<typeof ask>[0]);
      const { finishReason, usage, modelId } = await readStream(aboutOf(options), result, async (soFar) => {
        const { value } = await parsePartialJson(soFar);
        const words = wordsIfAny(() => wordsOf(value));
        if (words !== null) await shown.show(words);
      });
      return { object: (await result.output) as Value, finishReason, usage, modelId };
    });
    if (isKept) await shown.showKept(wordsOf(answer.object));
    return answer;
  });
}

/** What has come may have any form: what cannot be told in words yet is not shown, and the schema has the last word. */
function wordsIfAny(words: () => unknown): string | null {
  try {
    const text = words();
    return typeof text === "string" ? text : null;
  } catch {
    return null;
  }
}
