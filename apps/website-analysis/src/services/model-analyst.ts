import { generateText, type LanguageModel, Output } from "ai";
import { analysisAnswer, cleanAnswer } from "./analysis-answer.ts";
import type { Analyst, Answered } from "./analyst.ts";
import type { Prompt } from "./form-prompts.ts";
import { modelErrorOf } from "./model-error.ts";

export interface ModelPrices {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
}

/** Asks a model over the network. The engine retries, so nothing here does. */
export class ModelAnalyst implements Analyst {
  readonly label: Analyst["label"];
  readonly isPaid = true;
  readonly #model: LanguageModel;
  readonly #timeoutMs: number;
  readonly #prices: ModelPrices | null;

  constructor(options: {
    model: LanguageModel;
    provider: string;
    name: string;
    timeoutMs: number;
    prices: ModelPrices | null;
  }) {
    this.label = { kind: "model", provider: options.provider, model: options.name };
    this.#model = options.model;
    this.#timeoutMs = options.timeoutMs;
    this.#prices = options.prices;
  }

  async answer(
    prompt: Prompt,
    _site: unknown,
    { signal, idempotencyKey }: { signal: AbortSignal; idempotencyKey: string | null },
  ): Promise<Answered> {
    const deadline = AbortSignal.timeout(this.#timeoutMs);
    try {
      const { output, usage, response } = await generateText({
        model: this.#model,
        system: prompt.system,
        prompt: prompt.text,
        output: Output.object({ schema: analysisAnswer, name: "analysis" }),
        maxRetries: 0,
        abortSignal: AbortSignal.any([signal, deadline]),
        headers: idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey },
      });
      const { inputTokens = 0, outputTokens = 0 } = usage;
      return {
        answer: cleanAnswer(output),
        model: response.modelId,
        usage: { inputTokens, outputTokens, costUsd: this.#costUsd(inputTokens, outputTokens) },
      };
    } catch (error) {
      signal.throwIfAborted();
      throw modelErrorOf(error, {
        question: prompt.question,
        timedOutMs: deadline.aborted ? this.#timeoutMs : null,
        nowMs: Date.now(),
      });
    }
  }

  #costUsd(inputTokens: number, outputTokens: number): number | null {
    if (this.#prices === null) return null;
    const { inputUsdPerMillion, outputUsdPerMillion } = this.#prices;
    return (inputTokens * inputUsdPerMillion + outputTokens * outputUsdPerMillion) / 1_000_000;
  }
}
