import { migrationScript } from "@lockstep/database";
import type { MigrationPlan } from "lockstep";
import { type CommandContext, defineCommand } from "../command-line/command.ts";
import { usageError } from "../errors/cli-error.ts";
import { isMigrated } from "../migrate/is-migrated.ts";
import { migratedLines } from "../migrate/migrated-lines.ts";
import { exitCode } from "../session/exit-code.ts";

export const migrateCommand = defineCommand({
  name: "migrate",
  summary: "Migrates the schema of the installation to the version of this command.",
  examples: [
    ["lockstep migrate", "create the schema, or bring it up to date"],
    ["lockstep migrate --plan", "what it would do, before a deploy"],
    ["lockstep migrate --check", "exit code 7 when there is something to do, for a deploy"],
    ["lockstep migrate --sql > schema.sql", "all of it as SQL, for psql or a database administrator"],
    ["lockstep migrate --schema jobs", "another installation in the same database"],
  ],
  saysEnvironment: true,
  flags: {
    check: { type: "switch", sentence: "Change nothing; exit code 7 when a migrate is needed." },
    plan: {
      type: "switch",
      sentence: "Change nothing; say what would be done, and what would break older code.",
    },
    "allow-breaking": {
      type: "switch",
      sentence: "Run migrations that break older code, although workers are running.",
    },
    sql: {
      type: "switch",
      sentence: "Print the SQL instead, for an empty database, or with --plan for this one.",
    },
  },
  async run(context) {
    const { flags, output, engine } = context;
    if (flags.check && flags.sql) throw usageError("Give --check or --sql, not both.");
    if (flags.sql) return await printSql(context, flags.plan);
    if (flags.check || flags.plan) {
      const plan = await (await engine()).planMigration();
      await output.record(plan, () => planLines(plan));
      return exitCode(flags.check && !isMigrated(plan) ? "checkFailed" : "done");
    }
    const migrated = await (await engine()).migrate({
      onWaiting: (sentence) => output.note(sentence),
      allowBreaking: flags["allow-breaking"],
    });
    await output.record(migrated, () => migratedLines(migrated));
    return exitCode("done");
  },
});

async function printSql({ output, engine, schema }: CommandContext, isForThisOne: boolean): Promise<number> {
  const fromVersion = isForThisOne ? (await (await engine()).planMigration()).version : 0;
  const sql = await migrationScript({ fromVersion, schema: await schema() });
  await output.record({ sql }, () => [sql.trimEnd()]);
  return exitCode("done");
}

function planLines(plan: MigrationPlan): string[] {
  const { version, codeVersion, migrations, breaking, functions } = plan;
  if (version > codeVersion) {
    return [
      `The schema has version ${version}. This command has version ${codeVersion}, can use it, and leaves it alone.`,
    ];
  }
  if (isMigrated(plan)) return [`Schema version ${version}: there is nothing to do.`];
  return [
    ...migrations.map((name) => `would run ${name}`),
    ...breaking.map(
      ({ name, reason }) =>
        `${name} breaks older code (${reason}): stop every process of an older release first`,
    ),
    ...(functions ? ["would apply functions and grants"] : []),
    `Schema version ${version} would become ${codeVersion}.`,
  ];
}
