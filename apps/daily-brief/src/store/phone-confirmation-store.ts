import type pg from "pg";
import { isCode, type KeptCode, keptCode, newCode } from "../services/confirmation-code.ts";
import type { BriefDatabase } from "./brief-database.ts";

const triesPerCode = 5;
const codesPerHour = 3;

export type CodeAnswer =
  | { readonly answer: "confirmed" }
  | { readonly answer: "wrong"; readonly triesLeft: number }
  /** No code is waited for: it is over, was used, or had its tries. */
  | { readonly answer: "over" };

/**
 * Confirms that a number is a person's own. The whole life of it is here: a number is asked for, its code is made when it is
 * sent, and the code that comes back makes the number the person's. Until then no brief goes there.
 */
export class PhoneConfirmationStore {
  readonly #database: BriefDatabase;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  /**
   * Asks for a number in place of any that waits, and lets `send` add the job that sends the code, in one transaction.
   * False: the person, or this number, has had as many codes as an hour allows.
   */
  begin(
    personId: string,
    phone: string,
    send: (tx: pg.ClientBase, confirmationId: string) => Promise<void>,
  ): Promise<boolean> {
    return this.#database.inTransaction(async (tx) => {
      // One at a time, for the person and for the number, so that those that come together are counted.
      await tx.query("select from daily_brief.people where id = $1 for no key update", [personId]);
      await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 7146201))", [phone]);
      await tx.query(
        "delete from daily_brief.phone_confirmations where person_id = $1 and asked_at < now() - interval '1 day'",
        [personId],
      );
      const { rows } = await tx.query<{ id: string }>(
        `insert into daily_brief.phone_confirmations (person_id, phone)
         select $1, $2
         where $3 > (
             select count(*) from daily_brief.phone_confirmations
             where person_id = $1 and asked_at > now() - interval '1 hour'
           )
           and $3 > (
             select count(*) from daily_brief.phone_confirmations
             where phone = $2 and asked_at > now() - interval '1 hour'
           )
         returning id`,
        [personId, phone, codesPerHour],
      );
      const [begun] = rows;
      if (begun === undefined) return false;
      await tx.query(
        `update daily_brief.phone_confirmations set ended_at = now()
         where person_id = $1 and ended_at is null and id <> $2`,
        [personId, begun.id],
      );
      await send(tx, begun.id);
      return true;
    });
  }

  /** The number that waits, for the page. */
  async waiting(personId: string): Promise<string | null> {
    const [waiting] = await this.#database.rows<{ phone: string }>(
      `select phone from daily_brief.phone_confirmations
       where person_id = $1 and ended_at is null and tries < $2 and asked_at > now() - interval '1 hour'
         and (code_expires_at is null or code_expires_at > now())`,
      [personId, triesPerCode],
    );
    return waiting?.phone ?? null;
  }

  /** A code of ten minutes, to be sent; an earlier one no longer counts. Null: nobody waits for it any more. */
  async code(personId: string, confirmationId: string): Promise<{ phone: string; code: string } | null> {
    const code = newCode();
    const { salt, hash } = await keptCode(code);
    const [waiting] = await this.#database.rows<{ phone: string }>(
      `update daily_brief.phone_confirmations
       set code_salt = $3, code_hash = $4, code_expires_at = now() + interval '10 minutes'
       where id = $2 and person_id = $1 and ended_at is null and asked_at > now() - interval '1 hour'
       returning phone`,
      [personId, confirmationId, salt, hash],
    );
    return waiting === undefined ? null : { phone: waiting.phone, code };
  }

  /**
   * The right code makes the number the person's, to which briefs go from then on, in one transaction with what `tell` says to the job that
   * waits for it; if the job no longer waits, nothing is confirmed. A try is counted before it is looked at.
   */
  async confirm(
    personId: string,
    code: string,
    tell: (tx: pg.ClientBase, confirmationId: string) => Promise<boolean>,
  ): Promise<CodeAnswer> {
    const [tried] = await this.#database.rows<KeptCode & { id: string; tries: number }>(
      `update daily_brief.phone_confirmations set tries = tries + 1
       where person_id = $1 and ended_at is null and code_expires_at > now() and tries < $2
       returning id, tries, code_salt as salt, code_hash as hash`,
      [personId, triesPerCode],
    );
    if (tried === undefined) return { answer: "over" };
    if (!(await isCode(code, tried))) return { answer: "wrong", triesLeft: triesPerCode - tried.tries };
    return await this.#database.inTransaction(async (tx) => {
      if (!(await tell(tx, tried.id))) return { answer: "over" };
      const { rowCount } = await tx.query(
        `with ended as (
           update daily_brief.phone_confirmations set ended_at = now()
           where id = $1 and ended_at is null and code_hash = $2
           returning person_id, phone
         )
         update daily_brief.people as p set phone = ended.phone, wants_sms = true
         from ended where p.id = ended.person_id`,
        [tried.id, tried.hash],
      );
      return { answer: rowCount === 0 ? "over" : "confirmed" };
    });
  }

  /** Nobody has sent the code in time: the number waits no longer. */
  async end(confirmationId: string): Promise<void> {
    await this.#database.rows(
      "update daily_brief.phone_confirmations set ended_at = now() where id = $1 and ended_at is null",
      [confirmationId],
    );
  }

  /** No number any more, and none that waits. */
  async remove(personId: string): Promise<void> {
    await this.#database.rows(
      `with ended as (
         update daily_brief.phone_confirmations set ended_at = now() where person_id = $1 and ended_at is null
       )
       update daily_brief.people set phone = null, wants_sms = false where id = $1`,
      [personId],
    );
  }
}
