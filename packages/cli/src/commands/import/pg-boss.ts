import { sqlImportCommand } from "../../import/sql-import-command.ts";

export const importPgBossCommand = sqlImportCommand({
  name: "import pg-boss",
  summary: "Takes over waiting jobs and schedules of pg-boss, while its workers keep running.",
  examples: [
    ["lockstep import pg-boss --dry-run", "what would be taken over, from the same database"],
    [
      "lockstep import pg-boss --from postgres://db.example.org/app --queue email=send-email",
      "one queue of another database, into a pipeline of another name",
    ],
  ],
  usualSchema: "pgboss",
  load: async () => (await import("../../import/pg-boss-source.ts")).openPgBoss,
});
