import type { BriefDatabase } from "./brief-database.ts";

const mostTasks = 1_000;
const mostFinished = 50;

export interface TaskText {
  readonly projectId: string;
  readonly title: string;
  readonly dueOn: string | null;
}

export interface FinishedTask extends TaskText {
  readonly id: string;
}

/** The tasks in a person's own projects. What is somebody else's is as unknown as what does not exist. */
export class TaskStore {
  readonly #database: BriefDatabase;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  /** The new task's id. */
  async add(
    personId: string,
    { projectId, title, dueOn }: TaskText,
  ): Promise<{ id: string } | "unknown" | "full"> {
    const [added] = await this.#database.rows<{ id: string | null; isTheirs: boolean }>(
      `with project as (
         select id from daily_brief.projects where id = $2 and person_id = $1
       ), added as (
         insert into daily_brief.tasks (project_id, title, due_on)
         select id, $3, $4 from project
         where $5 > (
           select count(*) from daily_brief.tasks as t join daily_brief.projects as p on p.id = t.project_id
           where p.person_id = $1
         )
         returning id::text
       )
       select (select id from added) as id, exists (select from project) as "isTheirs"`,
      [personId, projectId, title, dueOn, mostTasks],
    );
    if (added?.id != null) return { id: added.id };
    return added?.isTheirs ? "full" : "unknown";
  }

  /** False: they have no such task, or no such project to put it into. */
  async change(personId: string, id: string, { projectId, title, dueOn }: TaskText): Promise<boolean> {
    const changed = await this.#database.rows(
      `update daily_brief.tasks as t set title = $4, due_on = $5, project_id = target.id
       from daily_brief.projects as p, daily_brief.projects as target
       where t.id = $2 and p.id = t.project_id and p.person_id = $1 and target.id = $3 and target.person_id = $1
       returning t.id`,
      [personId, id, projectId, title, dueOn],
    );
    return changed.length > 0;
  }

  async finish(personId: string, id: string, isDone: boolean): Promise<boolean> {
    const changed = await this.#database.rows(
      `update daily_brief.tasks as t set is_done = $3
       from daily_brief.projects as p
       where t.id = $2 and p.id = t.project_id and p.person_id = $1
       returning t.id`,
      [personId, id, isDone],
    );
    return changed.length > 0;
  }

  async remove(personId: string, id: string): Promise<boolean> {
    const removed = await this.#database.rows(
      `delete from daily_brief.tasks as t using daily_brief.projects as p
       where t.id = $2 and p.id = t.project_id and p.person_id = $1
       returning t.id`,
      [personId, id],
    );
    return removed.length > 0;
  }

  /** The newest of those that are done. */
  finishedOf(personId: string): Promise<FinishedTask[]> {
    return this.#database.rows(
      `select t.id::text, t.project_id as "projectId", t.title, t.due_on::text as "dueOn"
       from daily_brief.tasks as t join daily_brief.projects as p on p.id = t.project_id
       where p.person_id = $1 and t.is_done order by t.id desc limit $2`,
      [personId, mostFinished],
    );
  }
}
