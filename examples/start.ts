import { join } from "node:path";
import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, DatabaseUnavailableError, type Engine } from "lockstep";
import { JobLines } from "./job-lines.ts";
import { sites, websiteAnalysis } from "./website-analysis.ts";

const { DATABASE_URL } = process.env;

async function database(): Promise<{ url: string; stop(): Promise<void> }> {
  if (DATABASE_URL) {
    console.log("PostgreSQL: the one of DATABASE_URL");
    return { url: DATABASE_URL, stop: async () => undefined };
  }
  const dataFolder = join(".lockstep", "postgres");
  const postgres = await startPostgres({ dataFolder });
  console.log(`PostgreSQL: embedded, its data is kept in ${dataFolder}`);
  return postgres;
}

/** The driver's own words, "connect ECONNREFUSED", do not say what to do. */
async function migrate(engine: Engine): Promise<void> {
  try {
    await engine.migrate();
  } catch (error) {
    const { code } = error as { code?: unknown };
    const isOutOfReach = typeof code === "string" && /^(E[A-Z_]+$|28|3D|53|57)/.test(code);
    throw isOutOfReach ? new DatabaseUnavailableError(error) : error;
  }
}

async function main(): Promise<void> {
  const postgres = await database();
  const engine = createEngine({
    databaseUrl: postgres.url,
    pipelines: [websiteAnalysis],
    // What happens to the jobs is printed below; of the rest only errors are.
    logger: {
      debug() {},
      info() {},
      warn() {},
      error: (_fields, message) => console.error(message),
    },
  });
  let signals = 0;
  const stop = () => {
    signals += 1;
    console.log(signals === 1 ? "Draining: what runs may end; once more aborts it" : "Aborting");
    void engine.stop();
  };
  process.on("SIGINT", stop);
  process.on("SIGTERM", stop);

  try {
    await migrate(engine);
    const lines = new JobLines(engine);
    const added = await engine.addMany(
      websiteAnalysis,
      // The key finds what an interrupted run has left, instead of adding it again.
      sites.map((payload) => ({ payload, dedupKey: payload.site })),
    );
    added.forEach(({ id, created, status }, index) => {
      lines.name(id, sites[index]?.site ?? id);
      lines.print(id, "", created ? "added" : `was there already, ${status}`);
    });

    await engine.start();
    const results = await Promise.allSettled(added.map(({ id }) => engine.result(id)));
    if (signals === 0) {
      console.log();
      lines.printTable(await engine.stats());
      const completed = results.filter(({ status }) => status === "fulfilled").length;
      console.log(`\n${completed} of ${results.length} jobs completed.`);
      if (completed < results.length) process.exitCode = 1;
    }
  } finally {
    await engine.stop();
    await postgres.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
