import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";
import { z } from "zod";

const greeting = definePipeline("greeting", { payload: z.object({ name: z.string() }) })
  .stage("compose", ({ payload }) => ({ text: `Hello, ${payload.name}!` }))
  .stage("send", { maxAttempts: 5, timeoutMs: 10_000 }, async ({ output, attempt, log }) => {
    log.info(`sending ${output.text.length} characters, attempt ${attempt}`);
    return { sent: output.text }; // what the last stage returns is the job's result
  });

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [greeting] });
await engine.migrate();

const { id } = await engine.add(greeting, { name: "Ada" }); // durable from here on, whoever works
await engine.start(); // this process works too; without it, it only adds
const { sent } = await engine.result(id); // typed: string
console.log(sent);

await engine.stop();
