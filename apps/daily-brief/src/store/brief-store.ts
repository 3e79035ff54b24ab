import { readFile } from "node:fs/promises";
import pg from "pg";
import type { Phase, Profile, ProjectMatter, WrittenBrief } from "../services/brief-writer.ts";

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

export interface StoredBrief extends WrittenBrief {
  readonly id: string;
  readonly personId: string;
  readonly briefDate: string;
}

export interface Message {
  readonly jobId: string;
  readonly kind: "email" | "sms";
  readonly personId: string;
  readonly recipient: string;
  readonly subject: string | null;
  readonly body: string;
  readonly trackingId: string;
  readonly providerId: string | null;
}

const personColumns = `id, name, email, phone, time_zone as "timeZone", to_char(brief_at, 'HH24:MI') as "briefAt",
  wants_email as "wantsEmail", wants_sms as "wantsSms"`;

/** The app's own tables. */
export class BriefStore {
  readonly #databaseUrl: () => Promise<string>;
  #pool: Promise<pg.Pool> | null = null;

  /** The address is asked for at the first use: `lockstep dev` has one only after it has loaded the pipelines. */
  constructor(databaseUrl: () => Promise<string>) {
    this.#databaseUrl = databaseUrl;
  }

  async person(id: string): Promise<Person | null> {
    const [person] = await this.#rows<Person>(
      `select ${personColumns} from daily_brief.people where id = $1`,
      [id],
    );
    return person ?? null;
  }

  people(): Promise<Person[]> {
    return this.#rows(`select ${personColumns} from daily_brief.people order by id`);
  }

  /** Open tasks only. */
  async projectsOf(personId: string): Promise<(ProjectMatter & { readonly id: string })[]> {
    return await this.#rows(`${projectQuery} where p.person_id = $1 group by p.id order by p.id`, [personId]);
  }

  async project(id: string): Promise<ProjectMatter | null> {
    const [project] = await this.#rows<ProjectMatter>(`${projectQuery} where p.id = $1 group by p.id`, [id]);
    return project ?? null;
  }

  /** The brief of this person and day; when there is one already, that one stays. */
  async saveBrief(
    tx: pg.ClientBase,
    brief: WrittenBrief & { personId: string; briefDate: string; timezone: string; writtenBy: string },
  ): Promise<{ id: string; isNew: boolean }> {
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
      [
        brief.personId,
        brief.briefDate,
        brief.timezone,
        brief.headline,
        brief.summary,
        JSON.stringify(brief.focus),
        brief.writtenBy,
      ],
    );
    return rows[0];
  }

  async brief(id: string): Promise<StoredBrief | null> {
    const [brief] = await this.#rows<StoredBrief>(`${briefQuery} where id = $1`, [id]);
    return brief ?? null;
  }

  briefsOf(personId: string): Promise<StoredBrief[]> {
    return this.#rows(`${briefQuery} where person_id = $1 order by brief_date desc limit 30`, [personId]);
  }

  async savePhases(projectId: string, phases: readonly Phase[]): Promise<void> {
    await this.#rows(
      `with gone as (delete from daily_brief.phases where project_id = $1 and position > jsonb_array_length($2))
       insert into daily_brief.phases (project_id, position, name, tasks)
       select $1, position, phase ->> 'name', phase -> 'tasks'
       from jsonb_array_elements($2::jsonb) with ordinality as each (phase, position)
       on conflict (project_id, position) do update set name = excluded.name, tasks = excluded.tasks`,
      [projectId, JSON.stringify(phases)],
    );
  }

  async saveProfile(personId: string, { summary, interests }: Profile): Promise<void> {
    await this.#rows(
      `insert into daily_brief.profiles (person_id, summary, interests) values ($1, $2, $3)
       on conflict (person_id) do update set summary = excluded.summary, interests = excluded.interests`,
      [personId, summary, JSON.stringify(interests)],
    );
  }

  /** Once for a job, however often it is told. */
  async saveMessage(message: Message): Promise<void> {
    await this.#rows(
      `insert into daily_brief.messages
         (job_id, kind, person_id, recipient, subject, body, tracking_id, provider_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (job_id) do nothing`,
      [
        message.jobId,
        message.kind,
        message.personId,
        message.recipient,
        message.subject,
        message.body,
        message.trackingId,
        message.providerId,
      ],
    );
  }

  messagesOf(personId: string): Promise<(Message & { sentAt: Date })[]> {
    return this.#rows(
      `select job_id as "jobId", kind, person_id as "personId", recipient, subject, body, tracking_id as "trackingId",
         provider_id as "providerId", sent_at as "sentAt"
       from daily_brief.messages where person_id = $1 order by sent_at desc limit 50`,
      [personId],
    );
  }

  /** How many other jobs have sent this person such a message today. */
  async sentToday(personId: string, kind: Message["kind"], exceptJobId: string): Promise<number> {
    const [row] = await this.#rows<{ sent: number }>(
      `select count(*)::int as sent from daily_brief.messages
       where person_id = $1 and kind = $2 and sent_on = current_date and job_id <> $3`,
      [personId, kind, exceptJobId],
    );
    return row?.sent ?? 0;
  }

  /** Commits what `run` did, or nothing of it. */
  async inTransaction<Answer>(run: (tx: pg.PoolClient) => Promise<Answer>): Promise<Answer> {
    const client = await (await this.#ready()).connect();
    try {
      await client.query("begin");
      const answer = await run(client);
      await client.query("commit");
      client.release();
      return answer;
    } catch (error) {
      // Not given back: nobody knows where its transaction stands.
      client.release(true);
      throw error;
    }
  }

  /** A few people to look at, where there is nobody yet. */
  async seed(): Promise<void> {
    const pool = await this.#ready();
    await pool.query(await sqlFile("seed.sql"));
  }

  async close(): Promise<void> {
    const pool = await this.#pool?.catch(() => null);
    this.#pool = null;
    await pool?.end();
  }

  async #rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await (await this.#ready()).query<Row>(text, values)).rows;
  }

  #ready(): Promise<pg.Pool> {
    this.#pool ??= this.#open().catch((error: unknown) => {
      this.#pool = null;
      throw error;
    });
    return this.#pool;
  }

  async #open(): Promise<pg.Pool> {
    const pool = new pg.Pool({
      connectionString: await this.#databaseUrl(),
      max: 10,
      application_name: "daily-brief",
    });
    // An idle connection that breaks is replaced at the next use.
    pool.on("error", () => {});
    try {
      const tables = `${await sqlFile("tables.sql")}\n${await sqlFile("queue_rpc.sql")}`;
      // Several processes may start at once, and "if not exists" alone does not make that safe.
      await pool.query(`begin; select pg_advisory_xact_lock(7146201); ${tables}; commit`);
    } catch (error) {
      await pool.end();
      throw error;
    }
    return pool;
  }
}

const projectQuery = `select p.id, p.name, p.summary,
    coalesce(
      jsonb_agg(jsonb_build_object('title', t.title, 'dueOn', t.due_on) order by t.due_on, t.id) filter (where t.id is not null),
      '[]'
    ) as tasks
  from daily_brief.projects as p left join daily_brief.tasks as t on t.project_id = p.id and not t.is_done`;

const briefQuery = `select id, person_id as "personId", brief_date::text as "briefDate", headline, summary, focus
  from daily_brief.briefs`;

function sqlFile(name: string): Promise<string> {
  return readFile(new URL(`../../sql/${name}`, import.meta.url), "utf8");
}
