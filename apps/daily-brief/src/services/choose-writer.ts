import type { ModelConfig } from "../daily-brief-config.ts";
import type { BriefWriter } from "./brief-writer.ts";
import { LocalWriter } from "./local-writer.ts";
import { ModelWriter } from "./model-writer.ts";

/** The model that the configuration names; without one, the writer that needs none. */
export function chooseWriter(model: ModelConfig | null): BriefWriter {
  return model === null ? new LocalWriter() : new ModelWriter(model);
}
