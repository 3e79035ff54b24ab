import { defineCommand } from "../../command.ts";
import { exitCode } from "../../exit-code.ts";

export const resumeScheduleCommand = defineCommand({
  name: "schedules resume",
  summary: "Lets a paused schedule go on, with the first tick after now.",
  examples: [["lockstep schedules resume daily-brief", "and here they are again"]],
  usage: "NAME",
  words: { least: 1, most: 1 },
  completes: "schedules",
  flags: {},
  async run({ act, output, words: [name = ""] }) {
    const isChanged = await act("schedules.resume", (writes) => writes.resumeSchedule(name));
    await output.record({ name, isChanged }, () => [`${name} ${isChanged ? "goes on" : "was not paused"}.`]);
    return exitCode("done");
  },
});
