import type { BriefDatabase } from "./brief-database.ts";

export interface Message {
  readonly jobId: string;
  readonly kind: "email" | "sms";
  readonly personId: string;
  readonly recipient: string;
  readonly subject: string | null;
  readonly body: string;
  readonly trackingId: string;
}

export interface OutboxMessage extends Message {
  /** "kept": there was no provider to send it. "in_doubt": the provider may have it, and nobody can say. */
  readonly state: "sending" | "sent" | "kept" | "in_doubt";
  readonly providerId: string | null;
  readonly begunAt: Date;
}

/** What went out, is going out or may have: one row a job. */
export class OutboxStore {
  readonly #database: BriefDatabase;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  /**
   * Takes one of the person's places of this day, before anything goes out. Answers with when the job took its first;
   * null: the day has none left.
   */
  take(message: Message, perDay: number): Promise<Date | null> {
    const { jobId, kind, personId, recipient, subject, body, trackingId } = message;
    return this.#database.inTransaction(async (tx) => {
      // One at a time for a person: two that count together would both find the last place free.
      await tx.query("select from daily_brief.people where id = $1 for no key update", [personId]);
      const { rows } = await tx.query<{ begun_at: Date }>(
        `insert into daily_brief.messages (job_id, kind, person_id, recipient, subject, body, tracking_id, state)
         select $1, $2, $3, $4, $5, $6, $7, 'sending'
         where $8 > (
           select count(*) from daily_brief.messages
           where person_id = $3 and kind = $2 and begun_on = current_date and job_id <> $1
         )
         on conflict (job_id) do update set begun_on = current_date, body = excluded.body
         returning begun_at`,
        [jobId, kind, personId, recipient, subject, body, trackingId, perDay],
      );
      return rows[0]?.begun_at ?? null;
    });
  }

  /** It did not go out. */
  async giveBack(jobId: string): Promise<void> {
    await this.#database.rows("delete from daily_brief.messages where job_id = $1 and state = 'sending'", [
      jobId,
    ]);
  }

  /** Sent under the provider's id, or kept here because there is no provider. */
  async markDone(jobId: string, providerId: string | null): Promise<void> {
    await this.#database.rows(
      `update daily_brief.messages set state = case when $2::text is null then 'kept' else 'sent' end, provider_id = $2
       where job_id = $1`,
      [jobId, providerId],
    );
  }

  async markInDoubt(jobId: string): Promise<void> {
    await this.#database.rows("update daily_brief.messages set state = 'in_doubt' where job_id = $1", [
      jobId,
    ]);
  }

  /** The last fifty, newest first. */
  messagesOf(personId: string): Promise<OutboxMessage[]> {
    return this.#database.rows(
      `select job_id as "jobId", kind, person_id as "personId", recipient, subject, body, tracking_id as "trackingId",
         provider_id as "providerId", state, begun_at as "begunAt"
       from daily_brief.messages where person_id = $1 order by begun_at desc, job_id limit 50`,
      [personId],
    );
  }
}
