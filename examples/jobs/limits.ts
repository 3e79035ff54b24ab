import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

// At most 4 letters at a time over all workers, 2 of one customer, and 10 a second to spare the printer.
const letters = definePipeline<{ to: string }>("letters", { maxPending: 1_000 }).stage(
  "print",
  { concurrency: 4, groupConcurrency: 2, rate: { jobs: 10, perMs: 1_000 } },
  async ({ payload, groupKey }) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    console.log(`${groupKey}: printed the letter to ${payload.to}`);
  },
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [letters] });
await engine.migrate();

const large = Array.from({ length: 8 }, (_, number) => ({
  payload: { to: `reader ${number}` },
  groupKey: "large",
}));
const small = [{ payload: { to: "Ada" }, groupKey: "small" }];
const added = await engine.addMany(letters, [...large, ...small]);
await engine.start();
for (const { id } of added) await engine.result(id); // "small" does not wait for all of "large"

await engine.stop();
