import { testDatabase } from "@lockstep/test-support";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bookkeepingSql, lockSql, migrate } from "../migrating/migrate.ts";
import { migrationScript, planMigration } from "../migrating/migration-plan.ts";
import { inSchema } from "./in-schema.ts";
import { packagedSql } from "./packaged-sql.ts";
import { pinSettingsSql } from "./pinned-settings.ts";
import { codeSchemaVersion } from "./schema-version.ts";

const db = testDatabase();

describe("SQL for a schema of another name", () => {
  test("names it wherever our SQL names the schema, a role, a channel or a lock", () => {
    expect(inSchema("select lockstep.add_job('a') from lockstep.jobs", "other")).toBe(
      `select "other".add_job('a') from "other".jobs`,
    );
    expect(inSchema("format('drop table lockstep.%1$I', x); null::lockstep.job_status", "other")).toBe(
      `format('drop table "other".%1$I', x); null::"other".job_status`,
    );
    expect(inSchema("revoke all on schema lockstep from public", "other")).toBe(
      'revoke all on schema "other" from public',
    );
    expect(inSchema("'lockstep'::regnamespace; 'lockstep_' || id; 'lockstep_cancel_'", "other")).toBe(
      "'other'::regnamespace; 'other_' || id; 'other_cancel_'",
    );
    expect(inSchema("grant lockstep_worker to lockstep_x", "other")).toBe("grant other_worker to lockstep_x");
  });

  test.each([
    "'lockstep-bench'",
    "run `lockstep migrate`",
    "see @lockstep/testing and urn:lockstep:problem",
    "lockstep. The next sentence",
    "my_lockstep.jobs, x.lockstep.jobs",
  ])("leaves %j alone", (text) => {
    expect(inSchema(text, "other")).toBe(text);
  });

  test("is what it was where the name is the usual one, and nothing for a name that is none", () => {
    expect(inSchema("select lockstep.verify()", "lockstep")).toBe("select lockstep.verify()");
    expect(() => inSchema("select lockstep.verify()", 'x"; drop')).toThrow(/^schema must be a name/);
  });

  test.each(["lockstep_worker", "lockstep_cancel_x"])(
    "may be named as a role or a channel is: %s",
    (name) => {
      expect(inSchema("select lockstep.verify(); grant lockstep_worker to x; 'lockstep_cancel_'", name)).toBe(
        `select "${name}".verify(); grant ${name}_worker to x; '${name}_cancel_'`,
      );
    },
  );

  test("has the word lockstep nowhere left", async () => {
    const { migrations, functions, createRoles, grantRoles } = await packagedSql();
    const texts = [
      ...[...migrations, ...functions].map(({ name, text }) => [name, text]),
      ...Object.entries({ createRoles, grantRoles, bookkeepingSql, lockSql, pinSettingsSql }),
    ];
    expect(texts.length).toBeGreaterThan(100);
    const left = texts.filter(([, text]) => inSchema(text as string, "other").includes("lockstep"));
    expect(left.map(([name]) => name)).toEqual([]);
  });
});

// A word of SQL and of PL/pgSQL, so that a name that is not quoted somewhere does not pass.
describe.each(["migrate", "the script of migrate --sql"])(
  "an installation by %s in a schema `query`",
  (way) => {
    const schema = "query";
    const url = new URL(db.url);
    url.pathname += "_other";
    const databaseUrl = url.href;
    const name = url.pathname.slice(1);
    let other: pg.Client;

    beforeAll(async () => {
      await db.query(`create database ${name} template template1`);
      other = new pg.Client({ connectionString: databaseUrl });
      await other.connect();
      if (way === "migrate") await migrate({ databaseUrl, schema });
      else await other.query(await migrationScript({ schema }));
    });

    afterAll(async () => {
      await other.end();
      await db.query(`drop database ${name} with (force)`);
      for (const role of ["viewer", "producer", "operator", "worker"]) {
        await db.query(`drop role ${schema}_${role}`);
      }
    });

    test("is complete: there is nothing left to do", async () => {
      const version = codeSchemaVersion;
      expect(await planMigration({ databaseUrl, schema })).toMatchObject({
        version,
        migrations: [],
        functions: false,
      });
      expect(await migrate({ databaseUrl, schema })).toEqual({
        migrations: [],
        functions: false,
        version,
        missingRoles: [],
        adminSql: [],
      });
    });

    test("has the same tables, columns, indexes, constraints, types and functions as one in the schema lockstep", async () => {
      const has = async (query: (text: string) => Promise<unknown[]>, its: string) =>
        query(everythingIn(its));
      const ours = await has((text) => db.query(text), "lockstep");
      expect(ours.length).toBeGreaterThan(500);
      expect(await has(async (text) => (await other.query(text)).rows, schema)).toEqual(ours);
    });

    test("has the word lockstep nowhere in its catalogue, and no schema of this name", async () => {
      const { rows } = await other.query(
        `select nspname::text as found from pg_namespace where nspname like '%lockstep%'
       union all select p.proname || ': ' || p.prosrc from pg_proc p where pg_get_functiondef(p.oid) ~ 'lockstep' and p.prokind = 'f'
       union all select pg_get_viewdef(c.oid) from pg_class c where c.relkind in ('v', 'm') and pg_get_viewdef(c.oid) ~ 'lockstep'
       union all select pg_get_constraintdef(c.oid) from pg_constraint c where pg_get_constraintdef(c.oid) ~ 'lockstep'
       union all select pg_get_indexdef(i.indexrelid) from pg_index i where pg_get_indexdef(i.indexrelid) ~ 'lockstep'
       union all select pg_get_triggerdef(t.oid) from pg_trigger t where pg_get_triggerdef(t.oid) ~ 'lockstep'
       union all select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d where pg_get_expr(d.adbin, d.adrelid) ~ 'lockstep'
       union all select description from pg_description where description ~ 'lockstep'`,
      );
      expect(rows).toEqual([]);
    });

    test("grants its own roles what those of the schema lockstep have there, and these nothing", async () => {
      const grants = (its: string) =>
        `select p.proname::text as name, role from pg_proc p, unnest(array['viewer', 'producer', 'operator', 'worker']) as role
       where p.pronamespace = '${its}'::regnamespace and has_function_privilege('${its}_' || role, p.oid, 'execute') order by 1, 2`;
      expect((await other.query(grants(schema))).rows).toEqual(await db.query(grants("lockstep")));
      const { rows } = await other.query(
        `select has_schema_privilege('lockstep_worker', '${schema}', 'usage') as may_look,
         has_schema_privilege('${schema}_worker', '${schema}', 'usage') as its_may`,
      );
      expect(rows).toEqual([{ may_look: false, its_may: true }]);
    });
  },
);

/** What a schema consists of, without its name. Not the tables by day, which appear as time goes by. */
function everythingIn(schema: string): string {
  return `select kind, regexp_replace(it, '(?<![.\\w])("?)${schema}\\1(?=[._''])', '', 'g') as it
    from (
      select 'column' as kind, format('%s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        pg_get_expr(d.adbin, d.adrelid)) as it
      from pg_attribute a
      join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      where c.relnamespace = '${schema}'::regnamespace and a.attnum > 0
      union all
      select 'index', pg_get_indexdef(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = '${schema}'::regnamespace
      union all
      select 'constraint', format('%s %s', conname, pg_get_constraintdef(oid)) from pg_constraint where connamespace = '${schema}'::regnamespace
      union all
      select 'type', format('%s %s', typname, typtype) from pg_type where typnamespace = '${schema}'::regnamespace
      union all
      select 'function', pg_get_functiondef(p.oid) from pg_proc p where p.pronamespace = '${schema}'::regnamespace
    ) as everything
    where it !~ '_[0-9]{8}'
    order by kind, it collate "C"`;
}
