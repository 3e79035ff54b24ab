import type {
  Place,
  Source,
  SourceBatch,
  SourceJob,
  SourceKind,
  SourceQueue,
  SourceSchedule,
} from "./source.ts";
import type { SourceDatabase } from "./store/source-database.ts";

/** What a queue in PostgreSQL says of itself: its statements, and how its rows are read. */
export interface SqlDialect<JobRow> {
  readonly kind: SourceKind;
  readonly statements: {
    readonly count: string;
    readonly look: string;
    readonly take: string;
    readonly remove: string;
    readonly giveBack: string;
  };
  /** The arguments that say where a batch begins. */
  placeArguments(after: Place): readonly unknown[];
  placeOf(row: JobRow): string;
  jobOf(row: JobRow): SourceJob;
}

export interface SqlSourceParts<JobRow> {
  readonly database: SourceDatabase;
  readonly dialect: SqlDialect<JobRow>;
  readonly schedules: readonly SourceSchedule[];
  readonly remarks: readonly string[];
  removeSchedule(schedule: SourceSchedule): Promise<void>;
}

/** A queue whose jobs are rows: its workers pass over what is locked or held. */
export class SqlSource<JobRow> implements Source {
  readonly kind: SourceKind;
  readonly isShared: boolean;
  readonly remarks: readonly string[];
  readonly #parts: SqlSourceParts<JobRow>;

  constructor(parts: SqlSourceParts<JobRow>) {
    this.kind = parts.dialect.kind;
    this.isShared = parts.database.isShared;
    this.remarks = parts.remarks;
    this.#parts = parts;
  }

  queues(): Promise<SourceQueue[]> {
    const { database, dialect } = this.#parts;
    return database.rows<SourceQueue>(dialect.statements.count);
  }

  async schedules(): Promise<readonly SourceSchedule[]> {
    return this.#parts.schedules;
  }

  /** Nothing to prepare: each batch is locked by itself. */
  async begin(): Promise<void> {}

  look(queue: string, after: Place, limit: number): Promise<SourceBatch> {
    return this.#batch(this.#parts.dialect.statements.look, queue, after, limit);
  }

  take(queue: string, after: Place, limit: number): Promise<SourceBatch> {
    return this.#batch(this.#parts.dialect.statements.take, queue, after, limit);
  }

  async remove(queue: string, jobs: readonly SourceJob[]): Promise<SourceJob[]> {
    const { database, dialect } = this.#parts;
    const rows = await database.rows<{ id: string }>(dialect.statements.remove, [queue, idsOf(jobs)]);
    const removed = new Set(rows.map(({ id }) => id));
    return jobs.filter(({ id }) => !removed.has(id));
  }

  async giveBack(queue: string, jobs: readonly SourceJob[]): Promise<void> {
    const { database, dialect } = this.#parts;
    await database.rows(dialect.statements.giveBack, [queue, idsOf(jobs)]);
  }

  removeSchedule(schedule: SourceSchedule): Promise<void> {
    return this.#parts.removeSchedule(schedule);
  }

  async end(): Promise<void> {}

  close(): Promise<void> {
    return this.#parts.database.close();
  }

  async #batch(statement: string, queue: string, after: Place, limit: number): Promise<SourceBatch> {
    const { database, dialect } = this.#parts;
    const values = [queue, ...dialect.placeArguments(after), limit];
    const rows = await database.rows<JobRow>(statement, values);
    const last = rows.at(-1);
    const next = rows.length < limit || last === undefined ? null : dialect.placeOf(last);
    return { jobs: rows.map((row) => dialect.jobOf(row)), next };
  }
}

function idsOf(jobs: readonly SourceJob[]): string[] {
  return jobs.map(({ id }) => id);
}
