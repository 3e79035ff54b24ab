import { hashOf, newToken } from "../services/secret-token.ts";
import type { BriefDatabase } from "./brief-database.ts";

/** Links for signing in and the sessions that they open. Tokens are handed out once and kept as hashes. */
export class SignInStore {
  readonly #database: BriefDatabase;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  /** A link of 15 minutes for the person with this address; null: there is none, or they have had three in that time. */
  newLink(email: string): Promise<{ token: string; name: string; to: string } | null> {
    const token = newToken();
    return this.#database.inTransaction(async (tx) => {
      // Locked, so that links that are asked for together are counted.
      const { rows } = await tx.query<{ id: string; name: string; email: string }>(
        "select id, name, email from daily_brief.people where lower(email) = lower($1) for no key update",
        [email],
      );
      const [person] = rows;
      if (person === undefined) return null;
      await tx.query("delete from daily_brief.sign_in_links where person_id = $1 and expires_at < now()", [
        person.id,
      ]);
      const added = await tx.query(
        `insert into daily_brief.sign_in_links (token_hash, person_id, expires_at)
         select $1, $2, now() + interval '15 minutes'
         where 3 > (select count(*) from daily_brief.sign_in_links where person_id = $2)`,
        [hashOf(token), person.id],
      );
      return added.rowCount === 0 ? null : { token, name: person.name, to: person.email };
    });
  }

  /** Uses up a link: the token of a session of 30 days; null: the link is unknown, used or over. */
  async openSession(linkToken: string): Promise<string | null> {
    const token = newToken();
    const opened = await this.#database.rows(
      `with used as (
         delete from daily_brief.sign_in_links where token_hash = $1 returning person_id, expires_at
       ), over as (
         delete from daily_brief.sessions where expires_at < now() and person_id in (select person_id from used)
       )
       insert into daily_brief.sessions (token_hash, person_id, expires_at)
       select $2, person_id, now() + interval '30 days' from used where expires_at > now()
       returning person_id`,
      [hashOf(linkToken), hashOf(token)],
    );
    return opened.length === 0 ? null : token;
  }

  /** The token of a session of 30 days, for somebody who has proved otherwise who they are. */
  async newSession(personId: string): Promise<string> {
    const token = newToken();
    await this.#database.rows(
      `insert into daily_brief.sessions (token_hash, person_id, expires_at)
       values ($1, $2, now() + interval '30 days')`,
      [hashOf(token), personId],
    );
    return token;
  }

  /** Whose session it is. */
  async personIdOf(sessionToken: string): Promise<string | null> {
    const [session] = await this.#database.rows<{ person_id: string }>(
      "select person_id from daily_brief.sessions where token_hash = $1 and expires_at > now()",
      [hashOf(sessionToken)],
    );
    return session?.person_id ?? null;
  }

  /** Whose session it was. */
  async endSession(sessionToken: string): Promise<string | null> {
    const [ended] = await this.#database.rows<{ person_id: string }>(
      "delete from daily_brief.sessions where token_hash = $1 returning person_id",
      [hashOf(sessionToken)],
    );
    return ended?.person_id ?? null;
  }
}
