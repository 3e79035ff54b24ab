import { hashOf, newToken } from "../services/secret-token.ts";
import type { BriefDatabase } from "./brief-database.ts";

const linksPerAddress = 3;
const linksForAll = 60;

export interface NewRegistration {
  readonly email: string;
  readonly name: string;
  readonly timeZone: string;
}

export interface BegunRegistration {
  readonly token: string;
  readonly known: { readonly name: string; readonly email: string } | null;
}

/** Who wants to register, until they have followed the link that is mailed to them. */
export class RegistrationStore {
  readonly #database: BriefDatabase;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  /**
   * A link of an hour. `known`: the person who has this address already, to whom the link leads. Null: this address, or all
   * together, have had as many as an hour allows.
   */
  begin({ email, name, timeZone }: NewRegistration): Promise<BegunRegistration | null> {
    const token = newToken();
    return this.#database.inTransaction(async (tx) => {
      // One at a time, so that those that come together are counted.
      await tx.query("lock table daily_brief.registrations in share row exclusive mode");
      await tx.query("delete from daily_brief.registrations where expires_at < now()");
      const added = await tx.query(
        `insert into daily_brief.registrations (token_hash, email, name, time_zone, expires_at)
         select $1, $2, $3, $4, now() + interval '1 hour'
         where $5 > (select count(*) from daily_brief.registrations where lower(email) = lower($2))
           and $6 > (select count(*) from daily_brief.registrations)`,
        [hashOf(token), email, name, timeZone, linksPerAddress, linksForAll],
      );
      if (added.rowCount === 0) return null;
      const known = await tx.query<{ name: string; email: string }>(
        "select name, email from daily_brief.people where lower(email) = lower($1)",
        [email],
      );
      return { token, known: known.rows[0] ?? null };
    });
  }

  /** Uses up a link: the id of the person who has the address, new or not. Null: the link is unknown, used or over. */
  confirm(token: string): Promise<string | null> {
    return this.#database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ email: string }>(
        `with used as (
           delete from daily_brief.registrations where token_hash = $1 returning *
         ), person as (
           insert into daily_brief.people (id, name, email, time_zone)
           select gen_random_uuid(), name, email, time_zone from used where expires_at > now()
           on conflict (lower(email)) do nothing
           returning id
         ), project as (
           insert into daily_brief.projects (id, person_id, name)
           select gen_random_uuid(), id, 'My tasks' from person
         )
         select email from used where expires_at > now()`,
        [hashOf(token)],
      );
      if (rows[0] === undefined) return null;
      const person = await tx.query<{ id: string }>(
        "select id from daily_brief.people where lower(email) = lower($1)",
        [rows[0].email],
      );
      return person.rows[0]?.id ?? null;
    });
  }
}
