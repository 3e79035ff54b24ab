import { randomUUID } from "node:crypto";
import type pg from "pg";
import { SeededRandom } from "../scenarios/requests/seeded-random.ts";
import { layGround } from "./fuzz-ground.ts";
import { type Known, strangeArgument } from "./strange-arguments.ts";

interface PublicFunction {
  readonly name: string;
  readonly argumentNames: readonly string[];
  readonly argumentTypes: readonly string[];
  /** How many of the last ones may be left out. */
  readonly defaults: number;
}

export interface SqlFuzzReport {
  readonly calls: number;
  readonly answered: number;
  /** How often each code was the answer. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Answers that are no refusal of bad input, and invariants that do not hold afterwards. */
  readonly mistakes: readonly string[];
}

// The time is PostgreSQL's own: callers do not send it.
const leftOut = new Set(["p_now"]);
// No function can see that a promise about ids is not kept.
const takesNewIds = (name: string) => name === "add_jobs_of_pipeline";
const trustsItsCaller = (name: string) => name === "add_new_jobs";

// A refusal of ours; or PostgreSQL cannot read a value, misses one, or a rule with a speaking name forbids it.
const refusal = /^(LS\d{3}|22\w{3}|23502|23514)$/;

/** Calls every function that some role may call, again and again, with arguments that nobody means. */
export async function fuzzSql(
  client: pg.Client,
  { seed, callsEach }: { seed: number; callsEach: number },
): Promise<SqlFuzzReport> {
  const random = new SeededRandom(seed);
  const known = await layGround(client);
  const functions = await publicFunctions(client);
  const refusals: Record<string, number> = {};
  const mistakes: string[] = [];
  let answered = 0;
  await client.query("set statement_timeout = '20s'");
  for (let round = 0; round < callsEach; round += 1) {
    for (const one of functions) {
      const { text, values } = callOf(one, known, random);
      try {
        await client.query(text, values);
        answered += 1;
      } catch (error) {
        const { code = "", message } = error as { code?: string; message: string };
        refusals[code] = (refusals[code] ?? 0) + 1;
        if (!refusal.test(code)) {
          mistakes.push(`seed ${seed}: ${text} with ${shown(values)} was answered by ${code}: ${message}`);
        }
      }
    }
  }
  const { rows: found } = await client.query("select * from lockstep.verify()");
  mistakes.push(...found.map((violation) => `seed ${seed}: ${JSON.stringify(violation)}`));
  return { calls: callsEach * functions.length, answered, refusals, mistakes };
}

function callOf(
  { name, argumentNames, argumentTypes, defaults }: PublicFunction,
  known: Known,
  random: SeededRandom,
): { text: string; values: unknown[] } {
  const places: string[] = [];
  const values: unknown[] = [];
  for (const [index, argument] of argumentNames.entries()) {
    const type = argumentTypes[index] ?? "text";
    const isOptional = index >= argumentNames.length - defaults;
    if (leftOut.has(argument) || (isOptional && random.chance(0.5))) continue;
    values.push(
      takesNewIds(name) && argument === "p_ids"
        ? [randomUUID(), randomUUID()]
        : strangeArgument(argument, type, known, random),
    );
    places.push(`${argument} => $${values.length}::${type}`);
  }
  return { text: `select * from lockstep.${name}(${places.join(", ")})`, values };
}

async function publicFunctions(client: pg.Client): Promise<PublicFunction[]> {
  const { rows } = await client.query<PublicFunction>(
    `select p.proname as name, p.pronargdefaults as defaults,
       (p.proargnames::text[])[1:p.pronargs] as "argumentNames",
       array(select format_type(t, null) from unnest(p.proargtypes::oid[]) t) as "argumentTypes"
     from pg_proc p
     where p.pronamespace = 'lockstep'::regnamespace
       and exists (
         select from aclexplode(p.proacl) a join pg_roles r on r.oid = a.grantee
         where a.privilege_type = 'EXECUTE' and r.rolname in ('lockstep_viewer', 'lockstep_producer', 'lockstep_operator', 'lockstep_worker')
       )
     order by p.proname`,
  );
  if (rows.length === 0)
    throw new Error("No role may call any function: create the roles before the schema.");
  return rows
    .filter(({ name }) => !trustsItsCaller(name))
    .map((row) => ({ ...row, argumentNames: row.argumentNames ?? [] }));
}

function shown(values: readonly unknown[]): string {
  return JSON.stringify(values.map((value) => (typeof value === "string" ? value.slice(0, 100) : value)));
}
