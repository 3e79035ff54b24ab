import type { Engine, PipelineInput } from "lockstep";
import type { dailyBriefPipelines } from "../daily-brief-pipelines.ts";
import type { Person } from "../store/people-store.ts";

type Due = ReturnType<typeof dailyBriefPipelines>["dailyBriefDue"];

/** One schedule per person, by their own clock. Safe at every start; a person who has gone loses theirs. */
export async function keepSchedules(
  engine: Pick<Engine, "schedule" | "schedules" | "removeSchedule">,
  due: Due,
  people: readonly Person[],
): Promise<void> {
  const wanted = new Set(people.map(({ id }) => nameOf(id)));
  for (const person of people) {
    const [hour, minute] = person.briefAt.split(":").map(Number);
    const payload: PipelineInput<Due> = { personId: person.id };
    await engine.schedule(nameOf(person.id), due, {
      cron: `${minute} ${hour} * * *`,
      timeZone: person.timeZone,
      payload,
      // A brief that comes late is still of use.
      missed: "run_once",
    });
  }
  const limit = 1_000;
  for (let after: string | undefined; ; ) {
    const page = await engine.schedules({
      pipeline: due.name,
      limit,
      ...(after === undefined ? {} : { after }),
    });
    for (const { name } of page) if (!wanted.has(name)) await engine.removeSchedule(name);
    after = page.at(-1)?.name;
    if (page.length < limit) return;
  }
}

function nameOf(personId: string): string {
  return `brief:${personId}`;
}
