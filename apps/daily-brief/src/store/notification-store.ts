import type { Notification } from "../services/notification-of.ts";
import type { BriefDatabase } from "./brief-database.ts";

export interface NewNotification extends Notification {
  readonly personId: string;
  readonly jobId: string;
  readonly happenedAt: Date;
}

export interface KeptNotification extends Notification {
  /** Rises: a later one has a higher id. */
  readonly id: number;
  readonly at: Date;
  readonly isRead: boolean;
}

const notificationQuery = `select id::float8 as id, event, payload, text, happened_at as at, read_at is not null as "isRead"
  from daily_brief.notifications as n`;

export class NotificationStore {
  readonly #database: BriefDatabase;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  /** Up to where the log was read. */
  async cursor(): Promise<string> {
    const rows = await this.#database.rows<{ cursor: string }>(
      "select cursor from daily_brief.notified_until",
    );
    return rows[0]?.cursor ?? "start";
  }

  /** Keeps it with the place in the log at which it was found; one that is kept already, or is nobody's, changes nothing. */
  async keep(notification: NewNotification, cursor: string): Promise<void> {
    const { personId, event, payload, text, jobId, happenedAt } = notification;
    await this.#database.inTransaction(async (tx) => {
      // One at a time, so that ids become visible in their order: a stream goes on after the last that it has seen.
      await tx.query("update daily_brief.notified_until set cursor = $1", [cursor]);
      await tx.query(
        `insert into daily_brief.notifications (person_id, event, payload, text, job_id, happened_at)
         select id, $2, $3, $4, $5, $6 from daily_brief.people
         where id = $1 and (wants_page or $2 <> 'brief_completed')
         on conflict do nothing`,
        [personId, event, JSON.stringify(payload), text, jobId, happenedAt],
      );
    });
  }

  /** All that the person has not read, and the last fifty that they have, in their order. */
  atFirst(personId: string): Promise<KeptNotification[]> {
    return this.#database.rows(
      `${notificationQuery}
       where person_id = $1 and (
         read_at is null
         or n.id in (
           select id from daily_brief.notifications
           where person_id = $1 and read_at is not null order by id desc limit 50
         )
       )
       order by n.id`,
      [personId],
    );
  }

  after(personId: string, id: number): Promise<KeptNotification[]> {
    return this.#database.rows(`${notificationQuery} where person_id = $1 and n.id > $2 order by n.id`, [
      personId,
      id,
    ]);
  }

  /** The person has read all up to this one. What was read long ago is deleted. */
  async markRead(personId: string, upToId: number): Promise<void> {
    await this.#database.rows(
      `with deleted as (
         delete from daily_brief.notifications where person_id = $1 and read_at < now() - interval '30 days'
       )
       update daily_brief.notifications set read_at = now() where person_id = $1 and id <= $2 and read_at is null`,
      [personId, upToId],
    );
  }
}
