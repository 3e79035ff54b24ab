import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { clientOfRun } from "./client-of-run.ts";
import { FunctionCaller } from "./function-caller.ts";
import type {} from "./global-setup.ts";
import { refuseOpenConnections } from "./open-connections.ts";
import { ageRows, restoreRows } from "./stored-rows.ts";

export type Row = Record<string, unknown>;

/** A database of one test file's own. */
export interface TestDatabase {
  readonly url: string;
  /** `lockstep`, unless the run has another one. SQL that is sent here names `lockstep` in any case. */
  readonly schema: string;
  query<R = Row>(text: string, values?: unknown[]): Promise<R[]>;
  /** The rows of a lockstep function, called with named arguments; undefined ones are left out. */
  call<R = Row>(functionName: string, args?: Record<string, unknown>): Promise<R[]>;
  /** The single value of a lockstep function. */
  value<V = unknown>(functionName: string, args?: Record<string, unknown>): Promise<V>;
  /** A further connection, closed when the file ends. */
  connect(): Promise<pg.Client>;
  /** Makes every stored instant of jobs, workers, stages, upkeep, effects and schedules older. */
  timePasses(ms: number): Promise<void>;
  /** Makes the tables as they were when the database was new, for a fresh start between tests. */
  reset(): Promise<void>;
}

/** Call it at the top of a test file: the database exists from beforeAll to afterAll. */
export function testDatabase(): TestDatabase {
  const serverUrl = inject("serverUrl");
  const name = `${inject("templateName")}_${randomBytes(4).toString("hex")}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const admin = new pg.Client({ connectionString: serverUrl, application_name: "lockstep tests: clones" });
  const client = (application_name: string) =>
    clientOfRun({ connectionString: url.href, application_name }, inject("schemaName"));
  const main = client("lockstep tests: test database");
  const extras: pg.Client[] = [];
  const functions = new FunctionCaller(main);

  beforeAll(async () => {
    await admin.connect();
    await admin.query(`create database ${name} template ${inject("templateName")}`);
    await main.connect();
  });

  afterAll(async () => {
    await Promise.all([main, ...extras].map((client) => client.end()));
    try {
      await refuseOpenConnections(admin, name);
    } finally {
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
    }
  });

  return {
    url: url.href,
    schema: inject("schemaName"),
    query: async (text, values) => (await main.query(text, values)).rows,
    call: (functionName, args = {}) => functions.rows(functionName, args),
    value: (functionName, args = {}) => functions.value(functionName, args),
    async connect() {
      const extra = client("lockstep tests: extra");
      await extra.connect();
      extras.push(extra);
      return extra;
    },
    timePasses: (ms) => ageRows(main, ms),
    reset: () => restoreRows(main, inject("seedRows")),
  };
}
