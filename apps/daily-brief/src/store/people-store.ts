import type { Profile } from "../services/brief-writer.ts";
import type { BriefDatabase } from "./brief-database.ts";

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  /** Confirmed to be theirs. */
  readonly phone: string | null;
  readonly timeZone: string;
  /** The hour and minute of the brief by the person's own clock, as 07:00. */
  readonly briefAt: string;
  /** The bell tells when a brief is ready. */
  readonly wantsPage: boolean;
  readonly wantsEmail: boolean;
  readonly wantsSms: boolean;
}

export type Settings = Pick<
  Person,
  "name" | "timeZone" | "briefAt" | "wantsPage" | "wantsEmail" | "wantsSms"
>;

const personQuery = `select id, name, email, phone, time_zone as "timeZone", to_char(brief_at, 'HH24:MI') as "briefAt",
    wants_page as "wantsPage", wants_email as "wantsEmail", wants_sms as "wantsSms"
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

  /** The person as they are then; null: SMS are wanted, and there is no number for them. */
  async saveSettings(id: string, settings: Settings): Promise<Person | null> {
    const { name, timeZone, briefAt, wantsPage, wantsEmail, wantsSms } = settings;
    const changed = await this.#database.rows(
      `update daily_brief.people
       set name = $2, time_zone = $3, brief_at = $4, wants_page = $5, wants_email = $6, wants_sms = $7
       where id = $1 and (not $7 or phone is not null)
       returning id`,
      [id, name, timeZone, briefAt, wantsPage, wantsEmail, wantsSms],
    );
    return changed.length === 0 ? null : await this.person(id);
  }

  /** With all that belongs to them. */
  async remove(id: string): Promise<void> {
    await this.#database.rows("delete from daily_brief.people where id = $1", [id]);
  }

  async saveProfile(personId: string, { summary, interests }: Profile): Promise<void> {
    await this.#database.rows(
      `insert into daily_brief.profiles (person_id, summary, interests) values ($1, $2, $3)
       on conflict (person_id) do update set summary = excluded.summary, interests = excluded.interests`,
      [personId, summary, JSON.stringify(interests)],
    );
  }
}
