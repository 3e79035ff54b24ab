import { expectedIndexes } from "@lockstep/database";
import type { Finding } from "../../jobs/reading/finding.ts";
import { sqlFunction } from "../calls/call-function.ts";
import type { Database } from "../connections/database.ts";
import type { DatabaseHealth } from "./database-health.ts";

/** Something in the tables that must not be; `verify` finds it. */
export interface Violation {
  readonly invariant: string;
  readonly jobId: string | null;
  readonly violation: string;
}

export interface SchemaVersions {
  /** The newest migration; 0: there is no schema. */
  readonly version: number;
  /** The oldest code that may use the schema; 0: any. */
  readonly oldestCode: number;
}

export const noSchema: SchemaVersions = { version: 0, oldestCode: 0 };

const functions = {
  verify: sqlFunction("verify", []),
  health: sqlFunction("read_database_health", []),
  diagnose: sqlFunction("diagnose", []),
};

/** The schema, and the server that it is on: whether they are fit for the queue. */
export class SchemaStore {
  readonly #database: Pick<Database, "query" | "schema">;

  constructor(database: Pick<Database, "query" | "schema">) {
    this.#database = database;
  }

  get name(): string {
    return this.#database.schema;
  }

  async versions(): Promise<SchemaVersions> {
    const [row] = await this.#database.query<SchemaVersions>({
      name: "lockstep_schema_versions",
      text: `select lockstep.schema_version() as "version", lockstep.oldest_code_version() as "oldestCode"`,
      values: [],
    });
    return row ?? noSchema;
  }

  /** Whether PostgreSQL takes writes: no standby, not in recovery, not set to read only. */
  async isWritable(): Promise<boolean> {
    const [row] = await this.#database.query<{ is_writable: boolean }>({
      name: "lockstep_is_writable",
      text: "select not pg_is_in_recovery() and not current_setting('transaction_read_only')::boolean as is_writable",
      values: [],
    });
    return row?.is_writable ?? false;
  }

  async verify(): Promise<Violation[]> {
    const rows = await this.#database.query<{ invariant: string; job_id: string | null; violation: string }>(
      functions.verify(),
    );
    return rows.map(({ invariant, job_id, violation }) => ({ invariant, jobId: job_id, violation }));
  }

  async health(): Promise<DatabaseHealth & { readonly at: Date }> {
    const [row] = await this.#database.query<DatabaseHealthRow>(functions.health());
    if (row === undefined) throw new Error("read_database_health has answered without a row.");
    return {
      at: row.at,
      deadRows: Number(row.dead_rows),
      liveRows: Number(row.live_rows),
      oldestTransactionMs: row.oldest_transaction_ms,
    };
  }

  /** What the database finds about itself. */
  async diagnose(): Promise<Finding[]> {
    const rows = await this.#database.query<FindingRow>(functions.diagnose());
    return rows.map(({ check_name, severity, finding, advice, repair_sql }) => ({
      check: check_name,
      severity,
      finding,
      advice,
      repairSql: repair_sql,
    }));
  }

  /** Compares the indexes that are there with those that the migrations made. */
  async diagnoseIndexes(): Promise<Finding[]> {
    const expected = await expectedIndexes(this.name);
    const rows = await this.#database.query<{ name: string }>({
      name: "lockstep_missing_indexes",
      text: "select e.name from unnest($1::text[]) as e (name) where to_regclass(format('lockstep.%I', e.name)) is null",
      values: [expected.map(({ name }) => name)],
    });
    const missing = expected.filter(({ name }) => rows.some((row) => row.name === name));
    const check = "missing indexes";
    if (missing.length === 0) {
      const finding = `all ${expected.length} indexes of the migrations are there`;
      return [{ check, severity: "ok", finding, advice: null, repairSql: null }];
    }
    return missing.map(({ name, sql }) => ({
      check,
      severity: "bad",
      finding: `index ${this.name}.${name} is missing: what it served reads the whole table`,
      advice:
        "Make it again. It locks out writers while it is made: in a busy hour say concurrently after index.",
      repairSql: sql,
    }));
  }
}

interface DatabaseHealthRow {
  at: Date;
  dead_rows: string;
  live_rows: string;
  oldest_transaction_ms: number | null;
}

interface FindingRow {
  check_name: string;
  severity: Finding["severity"];
  finding: string;
  advice: string | null;
  repair_sql: string | null;
}
