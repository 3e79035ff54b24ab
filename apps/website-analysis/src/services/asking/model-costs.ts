import type { ModelUsage } from "@lockstep/ai";
import { type Budget, budget } from "lockstep";
import type { Prompt } from "./form-prompts.ts";

export interface ModelPrices {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
}

type Used = Pick<ModelUsage, "inputTokens" | "outputTokens">;

const tokensName = "website-analysis-tokens";
const dollarsName = "website-analysis-dollars";
const everyMs = 86_400_000;
// Five sentences and ten points, with what a model may think before.
const answerTokens = 2_000;

/** What a model costs, and how much of it each visitor may use in a day. */
export class ModelCosts {
  readonly budgets: readonly Budget[];
  readonly spends: Readonly<Record<string, (used: Used) => number>>;
  readonly #prices: ModelPrices | null;

  constructor(
    prices: ModelPrices | null,
    perVisitorDay: { readonly tokens: number; readonly dollars: number },
  ) {
    const { tokens, dollars } = perVisitorDay;
    this.#prices = prices;
    const ofTokens = budget(tokensName, { per: "owner", limit: tokens, everyMs, unit: "tokens" });
    const ofDollars = budget(dollarsName, { per: "owner", limit: dollars, everyMs, unit: "US dollars" });
    this.budgets = prices === null ? [ofTokens] : [ofTokens, ofDollars];
    this.spends = {
      [tokensName]: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
      ...(prices === null ? {} : { [dollarsName]: (used: Used) => this.usdOf(used) ?? 0 }),
    };
  }

  /** Null when the prices are not known. */
  usdOf({ inputTokens, outputTokens }: Used): number | null {
    if (this.#prices === null) return null;
    const { inputUsdPerMillion, outputUsdPerMillion } = this.#prices;
    return (inputTokens * inputUsdPerMillion + outputTokens * outputUsdPerMillion) / 1_000_000;
  }

  /** What a question will cost at most, by the name of the budget. */
  estimate({ estimatedTokens }: Prompt): Record<string, number> {
    const used = { inputTokens: estimatedTokens, outputTokens: answerTokens };
    return Object.fromEntries(Object.entries(this.spends).map(([name, amountOf]) => [name, amountOf(used)]));
  }
}
