import { type Command, defineCommand } from "../command-line/command.ts";
import { defaultBatch, sourceUrl, sqlImportFlags } from "./import-flags.ts";
import type { SqlSourceOptions } from "./pg-boss-source.ts";
import type { Source } from "./source.ts";

export interface SqlImport extends Pick<Command, "name" | "summary" | "examples"> {
  readonly usualSchema: string;
  /** Its module, loaded when it is needed. */
  readonly load: () => Promise<(options: SqlSourceOptions) => Promise<Source>>;
}

/** The command for a queue that has its jobs in tables of PostgreSQL. */
export function sqlImportCommand({ usualSchema, load, ...texts }: SqlImport): Command {
  return defineCommand({
    ...texts,
    flags: sqlImportFlags,
    async run(context) {
      const { flags, databaseUrl, io } = context;
      const from = sourceUrl(flags, io);
      const { runImport } = await import("./run-import.ts");
      return await runImport(context, {
        queues: flags.queue,
        isDryRun: flags["dry-run"],
        jobsPerBatch: flags.batch ?? defaultBatch,
        open: async (here) =>
          (await load())({
            url: from ?? (await databaseUrl()),
            schema: flags["from-schema"] ?? usualSchema,
            here,
            keeps: flags.keep,
            isForced: flags["force-version"],
          }),
      });
    },
  });
}
