import { createClient } from "@lockstep/client";
import { startPostgres } from "@lockstep/local-postgres";
import { createServer, listen } from "@lockstep/server";
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
const server = createServer({ engine, access: "loopback" });
const { url, stop } = await listen(server, { port: 0 });

// In the browser this asks your own server, which knows who is logged in.
const token = () => engine.ownerToken("ada", { expiresInMs: 3_600_000 });
const client = createClient({ baseUrl: url, token });

const { id } = await engine.add(report, { month: "June" }, { owner: "ada" });
await engine.start();
for await (const message of client.events({ after: "start" })) {
  if (message.type !== "job") continue;
  console.log(message.event.kind, message.event.stage);
  if (message.event.kind === "job.completed") break;
}
console.log((await client.job(id))?.result);

await stop();
await engine.stop();
