import { stageSwitch } from "./stage-switch.ts";

export const resumeStageCommand = stageSwitch("resume", {
  summary: "Resumes a paused stage, on every worker.",
  examples: [["lockstep stages resume website-analysis/model-analysis", "when the provider is back"]],
});
