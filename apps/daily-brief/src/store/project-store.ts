import type { Phase, ProjectMatter } from "../services/brief-writer.ts";
import type { BriefDatabase } from "./brief-database.ts";

export interface Project extends ProjectMatter {
  readonly id: string;
  readonly tasks: readonly { readonly id: string; readonly title: string; readonly dueOn: string | null }[];
  readonly phases: readonly Phase[];
}

export interface ProjectText {
  readonly name: string;
  readonly summary: string;
}

const mostProjects = 50;

// Open tasks only.
const projectQuery = `select p.id, p.name, p.summary,
    coalesce(
      (select jsonb_agg(jsonb_build_object('id', t.id::text, 'title', t.title, 'dueOn', t.due_on) order by t.due_on, t.id)
       from daily_brief.tasks as t where t.project_id = p.id and not t.is_done),
      '[]'
    ) as tasks,
    coalesce(
      (select jsonb_agg(jsonb_build_object('name', s.name, 'tasks', s.tasks) order by s.position)
       from daily_brief.phases as s where s.project_id = p.id),
      '[]'
    ) as phases
  from daily_brief.projects as p`;

export class ProjectStore {
  readonly #database: BriefDatabase;

  constructor(database: BriefDatabase) {
    this.#database = database;
  }

  projectsOf(personId: string): Promise<Project[]> {
    return this.#database.rows(`${projectQuery} where p.person_id = $1 order by lower(p.name), p.id`, [
      personId,
    ]);
  }

  async project(id: string): Promise<Project | null> {
    const [project] = await this.#database.rows<Project>(`${projectQuery} where p.id = $1`, [id]);
    return project ?? null;
  }

  /** The new project's id; null: they have as many as they may. */
  async add(personId: string, { name, summary }: ProjectText): Promise<string | null> {
    const [added] = await this.#database.rows<{ id: string }>(
      `insert into daily_brief.projects (id, person_id, name, summary)
       select gen_random_uuid(), $1, $2, $3
       where $4 > (select count(*) from daily_brief.projects where person_id = $1)
       returning id`,
      [personId, name, summary, mostProjects],
    );
    return added?.id ?? null;
  }

  /** False: they have no such project. */
  async change(personId: string, id: string, { name, summary }: ProjectText): Promise<boolean> {
    const changed = await this.#database.rows(
      "update daily_brief.projects set name = $3, summary = $4 where id = $2 and person_id = $1 returning id",
      [personId, id, name, summary],
    );
    return changed.length > 0;
  }

  /** With its tasks and phases. */
  async remove(personId: string, id: string): Promise<boolean> {
    const removed = await this.#database.rows(
      "delete from daily_brief.projects where id = $2 and person_id = $1 returning id",
      [personId, id],
    );
    return removed.length > 0;
  }

  async savePhases(projectId: string, phases: readonly Phase[]): Promise<void> {
    await this.#database.rows(
      `with gone as (delete from daily_brief.phases where project_id = $1 and position > jsonb_array_length($2))
       insert into daily_brief.phases (project_id, position, name, tasks)
       select $1, position, phase ->> 'name', phase -> 'tasks'
       from jsonb_array_elements($2::jsonb) with ordinality as each (phase, position)
       on conflict (project_id, position) do update set name = excluded.name, tasks = excluded.tasks`,
      [projectId, JSON.stringify(phases)],
    );
  }
}
