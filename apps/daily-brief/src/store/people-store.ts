import type { Profile } from "../services/brief-writer.ts";
import type { BriefDatabase } from "./brief-database.ts";

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly timeZone: string;
  /** The hour and minute of the brief by the person's own clock, as 07:00. */
  readonly briefAt: string;
  readonly wantsEmail: boolean;
  readonly wantsSms: boolean;
}

const personQuery = `select id, name, email, phone, time_zone as "timeZone", to_char(brief_at, 'HH24:MI') as "briefAt",
    wants_email as "wantsEmail", wants_sms as "wantsSms"
  from daily_brief.people`;

export class PeopleStore {
  readonly #database: BriefDatabase;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  async person(id: string): Promise<Person | null> {
    const [person] = await this.#database.rows<Person>(`${personQuery} where id = $1`, [id]);
    return person ?? null;
  }

  people(): Promise<Person[]> {
    return this.#database.rows(`${personQuery} order by id`);
  }

  async saveProfile(personId: string, { summary, interests }: Profile): Promise<void> {
    await this.#database.rows(
      `insert into daily_brief.profiles (person_id, summary, interests) values ($1, $2, $3)
       on conflict (person_id) do update set summary = excluded.summary, interests = excluded.interests`,
      [personId, summary, JSON.stringify(interests)],
    );
  }
}
