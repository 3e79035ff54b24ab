import { modelErrorOf } from "@lockstep/ai";
import { generateText, type LanguageModel, Output, type UserContent } from "ai";
import type { z } from "zod";

export interface Question<Schema extends z.ZodType> {
  readonly model: LanguageModel;
  readonly system: string;
  readonly content: UserContent;
  /** What the answer must look like; some providers want a name for it. */
  readonly schema: Schema;
  readonly schemaName?: string;
  readonly temperature?: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** What it is about, for the sentence when it fails. */
  readonly about: string;
  /** What to look at when the provider refuses: "MODEL_NAME and the key of the provider". */
  readonly settings: string;
}

/**
 * Asks a model once over the network, and returns an answer that fits the schema. The engine retries, so nothing here does. For questions whose
 * answers the job keeps by itself; `@lockstep/ai` keeps the others.
 */
export async function askModel<Schema extends z.ZodType>(
  question: Question<Schema>,
): Promise<z.output<Schema>> {
  const { model, system, content, schema, schemaName, temperature, timeoutMs, signal } = question;
  try {
    const { output } = await generateText({
      model,
      system,
      messages: [{ role: "user", content }],
      output: Output.object({ schema, ...(schemaName === undefined ? {} : { name: schemaName }) }),
      ...(temperature === undefined ? {} : { temperature }),
      maxRetries: 0,
      abortSignal: signal,
      timeout: timeoutMs,
    });
    return output as z.output<Schema>;
  } catch (error) {
    signal.throwIfAborted();
    const { about, settings } = question;
    throw modelErrorOf(error, { about, settings });
  }
}
