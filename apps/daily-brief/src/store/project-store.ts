import type { Phase, ProjectMatter } from "../services/brief-writer.ts";
import type { BriefDatabase } from "./brief-database.ts";

export interface Project extends ProjectMatter {
  readonly id: string;
  readonly phases: readonly Phase[];
}

// Open tasks only.
const projectQuery = `select p.id, p.name, p.summary,
    coalesce(
      (select jsonb_agg(jsonb_build_object('title', t.title, 'dueOn', t.due_on) order by t.due_on, t.id)
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
    return this.#database.rows(`${projectQuery} where p.person_id = $1 order by p.id`, [personId]);
  }

  async project(id: string): Promise<Project | null> {
    const [project] = await this.#database.rows<Project>(`${projectQuery} where p.id = $1`, [id]);
    return project ?? null;
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
