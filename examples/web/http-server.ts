import { randomBytes } from "node:crypto";
import { startPostgres } from "@lockstep/local-postgres";
import { createServer, listen } from "@lockstep/server";
import type { AddedAnswer, Problem } from "@lockstep/server/contract";
import { createEngine, definePipeline } from "lockstep";
import { z } from "zod";

const thumbnails = definePipeline("thumbnails", {
  payload: z.object({ image: z.string(), width: z.int() }),
}).stage("shrink", async ({ payload }) => ({ file: `${payload.width}-${payload.image}` }));

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [thumbnails] });
await engine.migrate();
await engine.start();

const token = randomBytes(24).toString("base64url"); // or from your secrets; the server keeps only its hash
const access = {
  tokens: [{ user: "web shop", rights: ["jobs.add", "jobs.read", "jobs.payload"] as const, token }],
};
const server = await listen(createServer({ engine, access }), { port: "first free from 4400" });

const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const added = await fetch(`${server.url}/api/v1/jobs`, {
  method: "POST",
  headers: { ...headers, "idempotency-key": "order-7", prefer: "wait=10" },
  body: JSON.stringify({ pipeline: "thumbnails", payload: { image: "cat.png", width: 200 } }),
});
const { status, job } = (await added.json()) as AddedAnswer;
console.log(`${added.status}: the job is ${status}, and gave ${JSON.stringify(job?.result)}`);

const refused = await fetch(`${server.url}/api/v1/jobs`, {
  method: "POST",
  headers,
  body: JSON.stringify({ pipeline: "thumbnails", payload: { image: "dog.png", width: "wide" } }),
});
const problem = (await refused.json()) as Problem;
console.log(`${refused.status}: ${problem.code} at ${problem.errors?.[0]?.pointer}`);

await server.stop();
await engine.stop();
