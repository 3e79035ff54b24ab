import type { Engine } from "lockstep";
import type { PeopleStore } from "../store/people-store.ts";
import { removeScheduleOf } from "./keep-schedules.ts";

const live = ["scheduled", "pending", "retrying", "processing"] as const;
const pageSize = 100;

/**
 * A person goes, and all that the app has of them. First the person, without whom no job sends anything; if the rest is
 * interrupted, the schedule is removed with the next round, and the jobs fail.
 */
export async function deleteAccount(engine: Engine, people: PeopleStore, personId: string): Promise<void> {
  await people.remove(personId);
  await removeScheduleOf(engine, personId);
  for (const status of live) {
    const jobs = await engine.list({ owner: personId, status, limit: pageSize });
    for (const { id } of jobs) await engine.cancel(id);
  }
}
