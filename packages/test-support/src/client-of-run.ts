import { defaultSchema, inSchema } from "@lockstep/database";
import pg from "pg";

/** A client for SQL that names the schema `lockstep`, as all tests do, in a run whose schema has another name. */
export function clientOfRun(config: pg.ClientConfig, schema: string): pg.Client {
  return schema === defaultSchema ? new pg.Client(config) : new RenamingClient(config, schema);
}

class RenamingClient extends pg.Client {
  readonly #schema: string;

  constructor(config: pg.ClientConfig, schema: string) {
    super(config);
    this.#schema = schema;
  }

  // biome-ignore lint/suspicious/noExplicitAny: as many ways to call it as the driver has.
  override query(statement: any, ...rest: any[]): any {
    const send = super.query as (...given: unknown[]) => unknown;
    const renamed =
      typeof statement === "string"
        ? inSchema(statement, this.#schema)
        : { ...statement, text: inSchema(statement.text, this.#schema) };
    return send.call(this, renamed, ...rest);
  }
}
