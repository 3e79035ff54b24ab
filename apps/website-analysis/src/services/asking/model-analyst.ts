import { streamObject } from "@lockstep/ai";
import { languageModel, type ModelAddress } from "@lockstep/app-kit/models";
import { cleanAnswer, modelAnswer } from "./analysis-answer.ts";
import { type Analyst, type Answered, type AskingContext, answerStream } from "./analyst.ts";
import { answerWords } from "./answer-words.ts";
import { CallSlots } from "./call-slots.ts";
import type { Prompt } from "./form-prompts.ts";
import { ModelCosts, type ModelPrices } from "./model-costs.ts";

export interface ModelAnalystOptions extends ModelAddress {
  readonly timeoutMs: number;
  readonly prices: ModelPrices | null;
  readonly perVisitorDay: { readonly tokens: number; readonly dollars: number };
}

// However many pages are analysed: each question has processors of its own, but all of them ask the same provider.
const callsAtOnce = 10;

/** Asks a model over the network. */
export class ModelAnalyst implements Analyst {
  readonly label: Analyst["label"];
  readonly budgets: Analyst["budgets"];
  readonly #model: ReturnType<typeof languageModel>;
  readonly #timeoutMs: number;
  readonly #costs: ModelCosts;
  readonly #slots = new CallSlots(callsAtOnce);

  constructor(options: ModelAnalystOptions) {
    this.label = { kind: "model", provider: options.provider, model: options.name };
    this.#model = languageModel(options);
    this.#timeoutMs = options.timeoutMs;
    this.#costs = new ModelCosts(options.prices, options.perVisitorDay);
    this.budgets = this.#costs.budgets;
  }

  estimate(prompt: Prompt): Readonly<Record<string, number>> {
    return this.#costs.estimate(prompt);
  }

  async answer(prompt: Prompt, _site: unknown, context: AskingContext): Promise<Answered> {
    const { object, modelId, usage } = await this.#slots.use(context.signal, () =>
      streamObject(context, {
        key: `ask ${prompt.question}@${prompt.version}`,
        stream: answerStream,
        model: this.#model,
        system: prompt.system,
        prompt: prompt.text,
        schema: modelAnswer,
        schemaName: "analysis",
        toText: answerWords,
        spends: this.#costs.spends,
        timeout: this.#timeoutMs,
        idempotencyHeader: "idempotency-key",
        about: `the question "${prompt.question}"`,
        settings: "MODEL_NAME and the key of the provider",
      }),
    );
    const { inputTokens, outputTokens } = usage;
    return {
      answer: cleanAnswer(object),
      model: modelId,
      usage: { inputTokens, outputTokens, costUsd: this.#costs.usdOf(usage) },
    };
  }
}
