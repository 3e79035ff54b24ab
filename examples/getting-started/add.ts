import { createEngine } from "lockstep";
import { welcome } from "./pipelines.ts";

// Made once in your web server: without start() it adds and reads, and runs no job.
const engine = createEngine({ databaseUrl: process.env.DATABASE_URL ?? "", pipelines: [welcome] });

const { id } = await engine.add(welcome, { email: "ada@example.org" });
console.log(`added ${id}`);
console.log(await engine.result(id, { timeoutMs: 30_000 })); // typed: { sentTo: string }
await engine.stop();
