import pg from "pg";
import type { Person } from "../store/people-store.ts";

/** Enters people, each with a project of two tasks. */
export async function givenPeople(databaseUrl: string, people: readonly Partial<Person>[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const person of people) {
      const { id = "ada", name = id, email = `${id}@example.com`, phone = null, timeZone = "UTC" } = person;
      const { briefAt = "07:00", wantsSms = false } = person;
      await client.query(
        `insert into daily_brief.people (id, name, email, phone, time_zone, brief_at, wants_sms)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [id, name, email, phone, timeZone, briefAt, wantsSms],
      );
    }
    const ids = people.map(({ id = "ada" }) => id);
    await client.query(
      "insert into daily_brief.projects (id, person_id, name) select 'of ' || id, id, 'Loom' from unnest($1::text[]) as id",
      [ids],
    );
    await client.query(
      `insert into daily_brief.tasks (project_id, title, due_on)
       select 'of ' || id, title, '2026-03-02' from unnest($1::text[]) as id, unnest(array['Weave', 'Mend']) as title`,
      [ids],
    );
  } finally {
    await client.end();
  }
}
