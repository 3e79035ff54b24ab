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
 * people who are gone or have unsubscribed lose theirs. The others are left alone.
 */
export async function keepSchedules(engine: Schedules, due: Due, people: readonly Person[]): Promise<void> {
  const kept = await keptSchedules(engine, due);
  for (const person of people) {
    if (!wantsBriefs(person)) continue;
    const name = nameOf(person.id);
    const times = timesOf(person);
    const before = kept.get(name);
    kept.delete(name);
    if (before?.cron === times.cron && before.timeZone === times.timeZone) continue;
    await setSchedule(engine, due, person);
  }
  for (const name of kept.keys()) await engine.removeSchedule(name);
}

/** At once, for one person who has changed something: the next brief comes at the new time. */
export async function keepScheduleOf(engine: Schedules, due: Due, person: Person): Promise<void> {
  if (wantsBriefs(person)) await setSchedule(engine, due, person);
  else await removeScheduleOf(engine, person.id);
}

export async function removeScheduleOf(engine: Schedules, personId: string): Promise<void> {
  await engine.removeSchedule(nameOf(personId));
}

async function setSchedule(engine: Schedules, due: Due, person: Person): Promise<void> {
  const payload: PipelineInput<Due> = { personId: person.id };
  // A brief that comes late is still of use.
  await engine.schedule(nameOf(person.id), due, { ...timesOf(person), payload, missed: "run_once" });
}

// Who has switched all channels off has unsubscribed.
function wantsBriefs({ wantsPage, wantsEmail, wantsSms }: Person): boolean {
  return wantsPage || wantsEmail || wantsSms;
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
