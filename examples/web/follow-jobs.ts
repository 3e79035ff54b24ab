import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const report = definePipeline<{ month: string }>("report")
  .stage("gather", async ({ payload, progress }) => {
    progress(50, `reading ${payload.month}`);
    return { rows: 31 };
  })
  .stage("write", ({ output }) => ({ pages: Math.ceil(output.rows / 10) }));

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const tokenSecret = "a random text that all processes share"; // from your secrets, not from your code
const engine = createEngine({ databaseUrl, pipelines: [report], tokenSecret });
await engine.migrate();

const after = await engine.eventCursor(); // from here on; a browser that comes back sends its last one
const token = engine.ownerToken("ada", { expiresInMs: 3_600_000 }); // what a browser is given
await engine.add(report, { month: "May" }, { owner: "bob" });
await engine.add(report, { month: "June" }, { owner: "ada" });
await engine.start();

for await (const event of engine.readEvents({ token, after })) {
  if (event.kind === "events.reset") continue; // events before it cannot be had: look at the jobs anew
  console.log(event.owner, event.kind, event.stage, JSON.stringify(event.detail));
  if (event.kind === "job.completed") break;
}

await engine.stop();
