import { sqlImportCommand } from "../../import/sql-import-command.ts";

export const importGraphileWorkerCommand = sqlImportCommand({
  name: "import graphile-worker",
  summary: "Takes over waiting jobs of graphile-worker, while its workers keep running.",
  examples: [
    ["lockstep import graphile-worker --dry-run", "what would be taken over, from the same database"],
    ["lockstep import graphile-worker --queue send_email=email", "one task, into a pipeline of another name"],
  ],
  usualSchema: "graphile_worker",
  load: async () => (await import("../../import/graphile-worker-source.ts")).openGraphileWorker,
});
