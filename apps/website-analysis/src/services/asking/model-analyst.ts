import { askModel, type Question } from "@lockstep/app-kit/models";
import { cleanAnswer, modelAnswer } from "./analysis-answer.ts";
import type { Analyst, Answered } from "./analyst.ts";
import type { Prompt } from "./form-prompts.ts";

export interface ModelPrices {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
}

/** Asks a model over the network. */
export class ModelAnalyst implements Analyst {
  readonly label: Analyst["label"];
  readonly isPaid = true;
  readonly #model: Question<typeof modelAnswer>["model"];
  readonly #timeoutMs: number;
  readonly #prices: ModelPrices | null;

  constructor(options: {
    model: Question<typeof modelAnswer>["model"];
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
    const asked = `The question "${prompt.question}"`;
    const { answer, modelId, inputTokens, outputTokens } = await askModel({
      model: this.#model,
      system: prompt.system,
      content: prompt.text,
      schema: modelAnswer,
      schemaName: "analysis",
      timeoutMs: this.#timeoutMs,
      signal,
      idempotencyKey,
      words: {
        answered: `${asked} was answered`,
        unanswered: `${asked} had no answer`,
        unasked: `${asked} could not be asked`,
      },
      settings: "MODEL_NAME and the key of the provider",
      isLateUnknown: true,
    });
    return {
      answer: cleanAnswer(answer),
      model: modelId,
      usage: { inputTokens, outputTokens, costUsd: this.#costUsd(inputTokens, outputTokens) },
    };
  }

  #costUsd(inputTokens: number, outputTokens: number): number | null {
    if (this.#prices === null) return null;
    const { inputUsdPerMillion, outputUsdPerMillion } = this.#prices;
    return (inputTokens * inputUsdPerMillion + outputTokens * outputUsdPerMillion) / 1_000_000;
  }
}
