import { scheduleSwitch } from "./schedule-switch.ts";

export const resumeScheduleCommand = scheduleSwitch("resume", {
  summary: "Resumes a paused schedule, from its next tick on.",
  examples: [["lockstep schedules resume daily-brief", "briefs are sent again"]],
});
