import type { Command } from "../../command-line/command.ts";
import { refuseUnknownSchedule } from "../../errors/known-schedule.ts";
import { type PauseVerb, pauseSwitch } from "../pause-switch.ts";

/** A command that pauses a schedule or resumes it. */
export function scheduleSwitch(verb: PauseVerb, texts: Pick<Command, "summary" | "examples">): Command {
  return pauseSwitch(
    {
      plural: "schedules",
      usage: "NAME",
      async find(name, reader) {
        await refuseUnknownSchedule(reader, name);
        return {
          name,
          record: { name },
          set: (writes) => (verb === "pause" ? writes.pauseSchedule(name) : writes.resumeSchedule(name)),
        };
      },
    },
    verb,
    texts,
  );
}
