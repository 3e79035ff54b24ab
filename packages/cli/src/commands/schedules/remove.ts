import { defineCommand } from "../../command-line/command.ts";
import { refuseUnknownSchedule } from "../../errors/known-schedule.ts";
import { exitCode } from "../../session/exit-code.ts";

export const removeScheduleCommand = defineCommand({
  name: "schedules remove",
  summary: "Removes a schedule. Jobs that it has added stay.",
  examples: [["lockstep schedules remove daily-brief", "for good"]],
  usage: "NAME",
  words: { least: 1, most: 1 },
  completes: "schedules",
  flags: {},
  async run({ act, confirm, reader, output, words: [name = ""] }) {
    await refuseUnknownSchedule(await reader(), name);
    if (!(await confirm(`Remove the schedule ${name}?`))) {
      output.note("Nothing was changed.");
      return exitCode("done");
    }
    const isChanged = await act("schedules.remove", (writes) => writes.removeSchedule(name));
    await output.record({ name, isChanged }, () => [
      `${name} ${isChanged ? "is removed" : "did not exist"}.`,
    ]);
    if (!isChanged) return exitCode("notFound");
    return exitCode("done");
  },
});
