import { defineCommand } from "../../command.ts";
import { exitCode } from "../../exit-code.ts";

export const pauseScheduleCommand = defineCommand({
  name: "schedules pause",
  summary: "Lets a schedule add no more jobs until it is resumed.",
  examples: [["lockstep schedules pause daily-brief", "no briefs over the holidays"]],
  usage: "NAME",
  words: { least: 1, most: 1 },
  completes: "schedules",
  flags: {},
  async run({ act, output, words: [name = ""] }) {
    const isChanged = await act("schedules.pause", (writes) => writes.pauseSchedule(name));
    await output.record({ name, isChanged }, () => [
      `${name} ${isChanged ? "is paused" : "was paused already"}.`,
    ]);
    return exitCode("done");
  },
});
