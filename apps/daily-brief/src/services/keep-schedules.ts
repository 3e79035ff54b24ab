import type { Engine, PipelineInput } from "lockstep";
import type { dailyBriefPipelines } from "../daily-brief-pipelines.ts";
import type { Person } from "../store/people-store.ts";

type Due = ReturnType<typeof dailyBriefPipelines>["dailyBriefDue"];
type Schedules = Pick<Engine, "schedule" | "schedules" | "removeSchedule">;

interface Times {
  readonly cron: string;
  readonly timeZone: string;
}

const pageSize = 1_000;

/**
 * One schedule per person, in their time zone. Called regularly: new people get a schedule, changed times change it, and
 * people who are gone lose theirs. The others are left alone.
 */
export async function keepSchedules(engine: Schedules, due: Due, people: readonly Person[]): Promise<void> {
  const kept = await keptSchedules(engine, due);
  for (const person of people) {
    const name = nameOf(person.id);
    const times = timesOf(person);
    const before = kept.get(name);
    kept.delete(name);
    if (before?.cron === times.cron && before.timeZone === times.timeZone) continue;
    const payload: PipelineInput<Due> = { personId: person.id };
    // A brief that comes late is still of use.
    await engine.schedule(name, due, { ...times, payload, missed: "run_once" });
  }
  for (const name of kept.keys()) await engine.removeSchedule(name);
}

async function keptSchedules(engine: Schedules, due: Due): Promise<Map<string, Times>> {
  const kept = new Map<string, Times>();
  for (let after: string | undefined; ; ) {
    const page = await engine.schedules({
      pipeline: due.name,
      limit: pageSize,
      ...(after === undefined ? {} : { after }),
    });
    for (const { name, cron, timeZone } of page) kept.set(name, { cron, timeZone });
    after = page.at(-1)?.name;
    if (page.length < pageSize) return kept;
  }
}

function timesOf({ briefAt, timeZone }: Person): Times {
  const [hour, minute] = briefAt.split(":").map(Number);
  return { cron: `${minute} ${hour} * * *`, timeZone };
}

function nameOf(personId: string): string {
  return `brief:${personId}`;
}
