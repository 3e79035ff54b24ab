// What an application does, in plain JavaScript: each runtime reads it as it is. Its folder is the test's.
import { existsSync, writeFileSync } from "node:fs";
import process from "node:process";
import { createServer, listen } from "@lockstep/server";
import { createEngine, definePipeline } from "lockstep";

// Stands still, and lets nothing else happen in this thread, until the test has seen what it wants to see.
const still = definePipeline("still").stage("stand", () => {
  writeFileSync("standing", "");
  while (!existsSync("enough"));
  return { stood: true };
});
const greet = definePipeline("greet").stage("hello", ({ payload }) => {
  const { name } = /** @type {{ name: string }} */ (payload);
  return { text: `Hello, ${name}` };
});

const leaseMs = 6_000;
// Threads may have clocks of their own: one that starts when this process is older than a lease must not be taken for late.
await new Promise((resolve) => setTimeout(resolve, leaseMs));

const engine = createEngine({
  // biome-ignore lint/style/noProcessEnv: where an application has it from.
  databaseUrl: process.env.DATABASE_URL ?? "",
  pipelines: [still, greet],
  leaseMs,
  heartbeatIntervalMs: 500,
});
engine.on("engine.error", ({ error }) => {
  throw error;
});
await engine.migrate();
await engine.start();
const server = createServer({ engine, access: "loopback" });
const listening = await listen(server, { port: 0 });

const { id } = await engine.add(still, {});
const { stood } = await engine.result(id, { timeoutMs: 120_000 });
const posted = await fetch(`${listening.url}/api/v1/jobs`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ pipeline: "greet", payload: { name: "Ada" } }),
});
const job = /** @type {{ id: string }} */ (await posted.json());
const { text } = await engine.result(job.id, { timeoutMs: 60_000 });
const attempts = (await engine.get(id))?.attempts.length;

await listening.stop();
await server.stop();
await engine.stop();
// biome-ignore lint/suspicious/noConsole: the test reads it.
console.log(JSON.stringify({ stood, attempts, text }));
