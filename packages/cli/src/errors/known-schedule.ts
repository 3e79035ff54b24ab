import type { Reader } from "lockstep";
import { unknownName } from "./unknown-name.ts";

const mostRead = 1_000;

/** Refuses a schedule that does not exist, with exit code 4 and the nearest name. */
export async function refuseUnknownSchedule(reader: Pick<Reader, "schedules">, name: string): Promise<void> {
  const names = (await reader.schedules({ limit: mostRead })).map((schedule) => schedule.name);
  // If there are more than were read, the database itself refuses an unknown one.
  if (names.includes(name) || names.length === mostRead) return;
  throw unknownName({
    kind: "schedule",
    message: `There is no schedule "${name}".`,
    name,
    names,
    advice:
      names.length === 0
        ? "There are none yet: `engine.schedule` sets one."
        : "Run `lockstep schedules` to list them.",
  });
}
