export { type GenerateObjectOptions, generateObject, type SchemaOptions } from "./generate-object.ts";
export { type GenerateTextOptions, generateText } from "./generate-text.ts";
export type { Generated, GeneratedObject, GeneratedText } from "./generated.ts";
export type { ModelCallContext, ModelCallOptions } from "./model-call.ts";
export { ModelAnswerError, type ModelErrorOptions, ModelFilterError, modelErrorOf } from "./model-error.ts";
export type { ModelUsage } from "./model-usage.ts";
export { type Partially, type StreamObjectOptions, streamObject } from "./stream-object.ts";
export { type StreamTextOptions, streamText } from "./stream-text.ts";
