import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";
import { z } from "zod";

const report = definePipeline("report", { payload: z.object({ of: z.string() }) }).stage(
  "write",
  ({ payload, schedule }) => `The ${payload.of} report of ${schedule?.tickAt.toISOString().slice(11, 19)}`,
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [report] });
await engine.migrate();

// Safe at every start of every process: what is there already stays as it is.
await engine.schedule("sales-report", report, {
  cron: "0 6 * * MON-FRI",
  timeZone: "Europe/Berlin",
  payload: { of: "sales" },
  missed: "run_once",
});
// Six fields begin with the second.
await engine.schedule("pulse", report, { cron: "* * * * * *", payload: { of: "pulse" } });

for (const { name, nextRuns } of await engine.schedules()) {
  console.log(`${name} runs next at ${nextRuns[0]?.toISOString()}`);
}

await engine.start();
for await (const jobId of firstJobs(3)) console.log(await engine.result(jobId));
await engine.removeSchedule("pulse");
await engine.stop();

async function* firstJobs(count: number) {
  for (let seen = 0; seen < count; seen += 1) {
    yield await new Promise<string>((resolve) => {
      const stop = engine.on("schedule.fired", ({ jobId }) => {
        stop();
        resolve(jobId);
      });
    });
  }
}
