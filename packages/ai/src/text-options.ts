import type { generateText, streamText } from "ai";
import type { ModelCallOptions } from "./model-call.ts";

// As each member of a union has them: a call has a prompt or messages.
type Without<Options, Keys extends PropertyKey> = Options extends unknown ? Omit<Options, Keys> : never;

// What is the engine's to decide, or what these functions are for.
type Told = "abortSignal" | "maxRetries" | "streamRetries" | "headers" | "output" | "experimental_output";

/** The options of the AI SDK's `generateText`, but for those that are the engine's. */
export type GenerateSettings = Without<Parameters<typeof generateText>[0], Told>;

/** The same for `streamText`. */
export type StreamSettings = Without<Parameters<typeof streamText>[0], Told>;

/** What is left for the AI SDK. */
export function sdkSettings<Options extends ModelCallOptions>(
  options: Options,
): Omit<Options, keyof ModelCallOptions> {
  const { key, unknown, idempotencyHeader, spends, about, settings, headers, ...rest } = options;
  return rest;
}
