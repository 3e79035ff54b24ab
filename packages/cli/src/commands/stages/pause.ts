import { stageSwitch } from "./stage-switch.ts";

export const pauseStageCommand = stageSwitch("pause", {
  summary: "Pauses a stage on every worker: running jobs finish, new ones wait.",
  examples: [["lockstep stages pause website-analysis/model-analysis", "while a provider is down"]],
});
