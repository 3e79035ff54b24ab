import type pg from "pg";
import type { WrittenBrief } from "../services/brief-writer.ts";
import type { BriefDatabase } from "./brief-database.ts";

export interface StoredBrief extends WrittenBrief {
  readonly id: string;
  readonly personId: string;
  readonly briefDate: string;
}

export interface NewBrief extends WrittenBrief {
  readonly personId: string;
  readonly briefDate: string;
  readonly timezone: string;
  readonly writtenBy: string;
}

const briefQuery = `select id, person_id as "personId", brief_date::text as "briefDate", headline, summary, focus
  from daily_brief.briefs`;

export class BriefStore {
  readonly #database: BriefDatabase;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  /** The brief of this person and day; when there is one already, that one stays. */
  async saveBrief(tx: pg.ClientBase, brief: NewBrief): Promise<{ id: string; isNew: boolean }> {
    const { personId, briefDate, timezone, headline, summary, focus, writtenBy } = brief;
    const { rows } = await tx.query(
      `with added as (
         insert into daily_brief.briefs (person_id, brief_date, time_zone, headline, summary, focus, written_by)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict on constraint one_brief_per_person_and_day do nothing
         returning id
       )
       select id, true as "isNew" from added
       union all
       select id, false from daily_brief.briefs where person_id = $1 and brief_date = $2
       limit 1`,
      [personId, briefDate, timezone, headline, summary, JSON.stringify(focus), writtenBy],
    );
    return rows[0];
  }

  async brief(id: string): Promise<StoredBrief | null> {
    const [brief] = await this.#database.rows<StoredBrief>(`${briefQuery} where id = $1`, [id]);
    return brief ?? null;
  }

  /** The last thirty, newest first. */
  briefsOf(personId: string): Promise<StoredBrief[]> {
    return this.#database.rows(`${briefQuery} where person_id = $1 order by brief_date desc limit 30`, [
      personId,
    ]);
  }
}
