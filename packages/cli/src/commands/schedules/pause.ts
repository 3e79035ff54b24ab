import { scheduleSwitch } from "./schedule-switch.ts";

export const pauseScheduleCommand = scheduleSwitch("pause", {
  summary: "Pauses a schedule: it adds no jobs until it is resumed.",
  examples: [["lockstep schedules pause daily-brief", "no briefs over the holidays"]],
});
