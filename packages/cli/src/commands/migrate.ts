import { migrationScript } from "@lockstep/database";
import type { MigrationPlan } from "lockstep";
import { usageError } from "../cli-error.ts";
import { type CommandContext, defineCommand } from "../command.ts";
import { exitCode } from "../exit-code.ts";

export const migrateCommand = defineCommand({
  name: "migrate",
  summary: "Brings the schema `lockstep` of the database to the version of this command.",
  examples: [
    ["lockstep migrate", "make the schema, or bring it up to date"],
    ["lockstep migrate --check", "exit code 7 when there is something to do, for a deploy"],
    ["lockstep migrate --sql > schema.sql", "all of it as SQL, for psql and a database's keeper"],
  ],
  flags: {
    check: { type: "switch", sentence: "Change nothing; exit code 7 when a migrate is needed." },
    "dry-run": { type: "switch", sentence: "Change nothing; say what would be done." },
    sql: {
      type: "switch",
      sentence: "Print the SQL instead, for an empty database, or with --dry-run for this one.",
    },
  },
  async run(context) {
    const { flags, output, engine } = context;
    if (flags.check && flags.sql) throw usageError("Give --check or --sql, not both.");
    if (flags.sql) return await printSql(context, flags["dry-run"]);
    if (flags.check || flags["dry-run"]) {
      const plan = await (await engine()).planMigration();
      await output.record(plan, () => planLines(plan));
      return exitCode(flags.check && !isDone(plan) ? "checkFailed" : "done");
    }
    const migrated = await (await engine()).migrate();
    await output.record(migrated, () => [
      ...migrated.migrations.map((name) => `ran ${name}`),
      migrated.functions
        ? `Schema version ${migrated.version}, functions and grants applied.`
        : `Schema version ${migrated.version}: there was nothing to do.`,
    ]);
    return exitCode("done");
  },
});

async function printSql({ output, engine }: CommandContext, isForThisOne: boolean): Promise<number> {
  const fromVersion = isForThisOne ? (await (await engine()).planMigration()).version : 0;
  const sql = await migrationScript({ fromVersion });
  await output.record({ sql }, () => [sql.trimEnd()]);
  return exitCode("done");
}

function planLines(plan: MigrationPlan): string[] {
  const { version, codeVersion, migrations, functions } = plan;
  if (version > codeVersion) {
    return [`The schema has version ${version}, this command knows ${codeVersion}: update @lockstep/cli.`];
  }
  if (isDone(plan)) return [`Schema version ${version}: there is nothing to do.`];
  return [
    ...migrations.map((name) => `would run ${name}`),
    ...(functions ? ["would apply functions and grants"] : []),
    `Schema version ${version} would become ${codeVersion}.`,
  ];
}

function isDone({ version, codeVersion, migrations, functions }: MigrationPlan): boolean {
  return version === codeVersion && migrations.length === 0 && !functions;
}
