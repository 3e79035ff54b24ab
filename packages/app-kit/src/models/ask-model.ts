import { generateText, type LanguageModel, Output, type UserContent } from "ai";
import type { z } from "zod";
import { modelErrorOf, type QuestionWords } from "./model-error.ts";

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
  /** The key by which the provider recognises a question that it has already answered. */
  readonly idempotencyKey?: string | null;
  /** How errors name the question. */
  readonly words: QuestionWords;
  /** What to look at when the provider refuses: "MODEL_NAME and the key of the provider". */
  readonly settings: string;
  /** Whether a question that timed out may have been answered, and paid for, anyway. */
  readonly isLateUnknown?: boolean;
}

export interface Asked<Answer> {
  readonly answer: Answer;
  /** The model that answered, as it names itself. */
  readonly modelId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Asks a model once over the network, and returns an answer that fits the schema. The engine retries, so nothing here does. */
export async function askModel<Schema extends z.ZodType>(
  question: Question<Schema>,
): Promise<Asked<z.output<Schema>>> {
  const { model, system, content, schema, schemaName, temperature, timeoutMs, signal, idempotencyKey } =
    question;
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    const { output, usage, response } = await generateText({
      model,
      system,
      messages: [{ role: "user", content }],
      output: Output.object({ schema, ...(schemaName === undefined ? {} : { name: schemaName }) }),
      ...(temperature === undefined ? {} : { temperature }),
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, deadline]),
      headers: idempotencyKey ? { "idempotency-key": idempotencyKey } : {},
    });
    const { inputTokens = 0, outputTokens = 0 } = usage;
    return {
      answer: output as z.output<Schema>,
      modelId: response.modelId,
      inputTokens,
      outputTokens,
    };
  } catch (error) {
    signal.throwIfAborted();
    throw modelErrorOf(error, {
      words: question.words,
      settings: question.settings,
      timedOutMs: deadline.aborted ? timeoutMs : null,
      isLateUnknown: question.isLateUnknown ?? false,
      nowMs: Date.now(),
    });
  }
}
