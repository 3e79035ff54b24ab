import type { FinishReason } from "ai";
import type { Jsonify } from "lockstep";
import { filtered, ModelAnswerError } from "./model-error.ts";
import type { ModelUsage } from "./model-usage.ts";

/** What every answer has; all of it is kept. */
export interface Generated {
  /** `length`: it was cut at `maxOutputTokens`. */
  readonly finishReason: FinishReason;
  /** Of all steps. Of a kept answer, it was counted when the answer was made. */
  readonly usage: ModelUsage;
  /** The model that answered, as it names itself. */
  readonly modelId: string;
}

/** An answer in words. */
export interface GeneratedText extends Generated {
  readonly text: string;
  /** What the model asks of tools that have no `execute`. */
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly input: unknown;
  }[];
}

/** An answer in the form of a schema. */
export interface GeneratedObject<Value> extends Generated {
  readonly object: Jsonify<Value>;
}

/** Refuses an answer that was held back, or that has no proper end. */
export function checkedEnd(about: string, finishReason: FinishReason, usage: ModelUsage): void {
  const answered = `The model answered about ${about}`;
  if (finishReason === "content-filter") throw filtered(answered, usage);
  if (finishReason === "error") {
    throw new ModelAnswerError(`${answered} and broke off with an error.`, { usage });
  }
}
