import { languageModel } from "@lockstep/app-kit/models";
import type { ModelConfig } from "../../website-analysis-config.ts";
import { LocalAnalyst } from "../local-analyst/local-analyst.ts";
import type { Analyst } from "./analyst.ts";
import { ModelAnalyst } from "./model-analyst.ts";

/** The model that the configuration names; without one, the analyst that needs none. */
export function chooseAnalyst(config: ModelConfig | null): Analyst {
  if (config === null) return new LocalAnalyst();
  const { provider, name, timeoutMs, prices } = config;
  return new ModelAnalyst({ model: languageModel(config), provider, name, timeoutMs, prices });
}
