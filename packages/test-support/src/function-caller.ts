import type pg from "pg";
import type { Row } from "./test-database.ts";

/** Calls functions of schema lockstep by name and named arguments. */
export class FunctionCaller {
  readonly #client: pg.Client;
  readonly #argumentTypes = new Map<string, Promise<Map<string, string>>>();

  constructor(client: pg.Client) {
    this.#client = client;
  }

  async rows<R = Row>(functionName: string, args: Record<string, unknown>): Promise<R[]> {
    const { call, values } = await this.#prepare(functionName, args);
    return (await this.#client.query(`select * from ${call}`, values)).rows;
  }

  async value<V>(functionName: string, args: Record<string, unknown>): Promise<V> {
    const { call, values } = await this.#prepare(functionName, args);
    const { rows } = await this.#client.query(`select ${call} as value`, values);
    if (rows.length !== 1) throw new Error(`lockstep.${functionName} gave ${rows.length} values, not one.`);
    return rows[0].value;
  }

  async #prepare(
    functionName: string,
    args: Record<string, unknown>,
  ): Promise<{ call: string; values: unknown[] }> {
    const types = await this.#typesOf(functionName);
    const given = Object.entries(args).filter(([, value]) => value !== undefined);
    const places: string[] = [];
    const values: unknown[] = [];
    for (const [name, value] of given) {
      const type = types.get(name);
      if (type === undefined) {
        throw new Error(
          `lockstep.${functionName} has no argument ${name}, only ${[...types.keys()].join(", ")}.`,
        );
      }
      values.push(encode(value, type));
      places.push(`${name} => $${values.length}::${type}`);
    }
    return { call: `lockstep.${functionName}(${places.join(", ")})`, values };
  }

  #typesOf(functionName: string): Promise<Map<string, string>> {
    const known = this.#argumentTypes.get(functionName) ?? this.#readTypes(functionName);
    this.#argumentTypes.set(functionName, known);
    return known;
  }

  async #readTypes(functionName: string): Promise<Map<string, string>> {
    const { rows } = await this.#client.query<{ name: string; type: string }>(
      `select argument.name, format_type(argument.type, null) as type
       from pg_proc p,
         unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargmodes)
           as argument (name, type, mode)
       where p.pronamespace = to_regnamespace('lockstep')
         and p.proname = $1
         and coalesce(argument.mode, 'i') in ('i', 'b', 'v')`,
      [functionName],
    );
    return new Map(rows.map(({ name, type }) => [name, type]));
  }
}

/** node-postgres sends a JavaScript array as a PostgreSQL array, which jsonb does not read. */
function encode(value: unknown, type: string): unknown {
  if (value === null) return null;
  if (type === "json" || type === "jsonb") return JSON.stringify(value);
  if ((type === "json[]" || type === "jsonb[]") && Array.isArray(value)) {
    return value.map((element) => (element === null ? null : JSON.stringify(element)));
  }
  return value;
}
