import type { ModelConfig } from "../../website-analysis-config.ts";
import { LocalAnalyst } from "../local-analyst/local-analyst.ts";
import type { Analyst } from "./analyst.ts";
import { ModelAnalyst } from "./model-analyst.ts";

/** The model that the configuration names; without one, the analyst that needs none. */
export function chooseAnalyst(config: ModelConfig | null): Analyst {
  return config === null ? new LocalAnalyst() : new ModelAnalyst(config);
}
