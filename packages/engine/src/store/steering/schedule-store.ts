import type { MissedPolicy, SchedulePlan } from "../../jobs/schedules/schedule-plan.ts";
import { asInterval } from "../calls/as-interval.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";

/** A schedule as it is set, its payload as JSON text. */
export interface ScheduleSetting {
  readonly name: string;
  readonly pipeline: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly payload: string;
  readonly priority: number;
  readonly owner: string | null;
  readonly groupKey: string | null;
  readonly tags: readonly string[];
  readonly missed: MissedPolicy;
}

/** A schedule as the database has it. */
export interface StoredSchedule {
  readonly name: string;
  readonly pipeline: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly priority: number;
  readonly owner: string | null;
  readonly groupKey: string | null;
  readonly tags: readonly string[];
  readonly missed: MissedPolicy;
  readonly changedAt: Date;
  readonly pausedAt: Date | null;
  /** The tick of the last job, and that job. */
  readonly lastAt: Date | null;
  readonly lastJobId: string | null;
  /** Why it adds no jobs, in a sentence. */
  readonly problem: string | null;
}

/** A schedule that a worker has to see to, with the database's time. */
export interface DueSchedule {
  readonly name: string;
  readonly revision: string;
  readonly pipeline: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly payload: unknown;
  readonly missed: MissedPolicy;
  readonly countsFrom: Date;
  readonly nextAt: Date | null;
  readonly problem: string | null;
  readonly waitMs: number;
  readonly now: Date;
}

/** Which schedules are listed. */
export interface ScheduleFilter {
  readonly pipeline?: string | undefined;
  /** The name of the last schedule of the page before. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** What setting a schedule has done. */
export type SetAnswer = "created" | "changed" | "unchanged";
export type FireAnswer = "fired" | "moved" | "taken" | "not_due";

const functions = {
  set: sqlFunction("set_schedule", [
    "p_name",
    "p_pipeline",
    "p_cron",
    "p_time_zone",
    "p_payload",
    "p_priority",
    "p_owner",
    "p_tags",
    "p_missed",
    "p_group_key",
  ]),
  pause: sqlFunction("pause_schedule", ["p_name"]),
  resume: sqlFunction("resume_schedule", ["p_name"]),
  remove: sqlFunction("remove_schedule", ["p_name"]),
  list: sqlFunction("list_schedules", ["p_pipeline", "p_after", "p_limit"]),
  due: sqlFunction("due_schedules", ["p_pipelines", "p_within"]),
  fire: sqlFunction("fire_schedule", ["p_name", "p_revision", "p_due", "p_tick", "p_next"]),
  noteProblem: sqlFunction("note_schedule_problem", ["p_name", "p_revision", "p_problem"]),
};

/** Schedules, on the pool or in a transaction. */
export class ScheduleStore {
  readonly #database: Pick<Database, "query">;

  constructor(database: Pick<Database, "query">) {
    this.#database = database;
  }

  async set(schedule: ScheduleSetting): Promise<SetAnswer> {
    const { name, pipeline, cron, timeZone, payload, priority, owner, tags, missed, groupKey } = schedule;
    const [row] = await this.#database.query<{ set_schedule: SetAnswer }>(
      functions.set(name, pipeline, cron, timeZone, payload, priority, owner, tags, missed, groupKey),
    );
    return row?.set_schedule ?? "unchanged";
  }

  async pause(name: string): Promise<boolean> {
    const [row] = await this.#database.query<{ pause_schedule: boolean }>(functions.pause(name));
    return row?.pause_schedule ?? false;
  }

  async resume(name: string): Promise<boolean> {
    const [row] = await this.#database.query<{ resume_schedule: boolean }>(functions.resume(name));
    return row?.resume_schedule ?? false;
  }

  async remove(name: string): Promise<boolean> {
    const [row] = await this.#database.query<{ remove_schedule: boolean }>(functions.remove(name));
    return row?.remove_schedule ?? false;
  }

  async list({ pipeline, after, limit }: ScheduleFilter): Promise<StoredSchedule[]> {
    const rows = await this.#database.query<ScheduleRow>(
      functions.list(pipeline ?? null, after ?? null, limit ?? 200),
    );
    return rows.map((row) => ({
      name: row.name,
      pipeline: row.pipeline,
      cron: row.cron,
      timeZone: row.time_zone,
      priority: row.priority,
      owner: row.owner,
      groupKey: row.group_key,
      tags: row.tags,
      missed: row.missed,
      changedAt: row.changed_at,
      pausedAt: row.paused_at,
      lastAt: row.last_at,
      lastJobId: row.last_job_id,
      problem: row.problem,
    }));
  }

  /** Those that are due now or within this time; the soonest first. */
  async due(pipelines: readonly string[], withinMs: number): Promise<DueSchedule[]> {
    const rows = await this.#database.query<DueRow>(functions.due(pipelines, asInterval(withinMs)));
    return rows.map((row) => ({
      name: row.name,
      revision: row.revision,
      pipeline: row.pipeline,
      cron: row.cron,
      timeZone: row.time_zone,
      payload: row.payload,
      missed: row.missed,
      countsFrom: row.counts_from,
      nextAt: row.next_at,
      problem: row.problem,
      waitMs: row.wait_ms,
      now: row.now,
    }));
  }

  async fire(
    due: Pick<DueSchedule, "name" | "revision" | "nextAt">,
    { tick, next }: SchedulePlan,
  ): Promise<{ answer: FireAnswer; jobId: string | null; problem: string | null }> {
    const [row] = await this.#database.query<{
      answer: FireAnswer;
      job_id: string | null;
      problem: string | null;
    }>(functions.fire(due.name, due.revision, due.nextAt, tick, next));
    return { answer: row?.answer ?? "taken", jobId: row?.job_id ?? null, problem: row?.problem ?? null };
  }

  async noteProblem(due: Pick<DueSchedule, "name" | "revision">, problem: string): Promise<void> {
    await this.#database.query(functions.noteProblem(due.name, due.revision, problem));
  }
}

interface ScheduleRow {
  name: string;
  pipeline: string;
  cron: string;
  time_zone: string;
  priority: number;
  owner: string | null;
  group_key: string | null;
  tags: string[];
  missed: MissedPolicy;
  changed_at: Date;
  paused_at: Date | null;
  last_at: Date | null;
  last_job_id: string | null;
  problem: string | null;
}

interface DueRow {
  name: string;
  revision: string;
  pipeline: string;
  cron: string;
  time_zone: string;
  payload: unknown;
  missed: MissedPolicy;
  counts_from: Date;
  next_at: Date | null;
  problem: string | null;
  wait_ms: number;
  now: Date;
}
