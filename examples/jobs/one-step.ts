import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const mail = definePipeline<{ to: string }>("mail").stage("send", async ({ payload }) => {
  console.log(`sent to ${payload.to}`);
});

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [mail] });
await engine.migrate();
await engine.start();

const { id } = await engine.add(mail, { to: "ada@example.org" });
await engine.result(id);
console.log((await engine.get(id))?.status);

await engine.stop();
