import { createEngine } from "lockstep";
import { welcome } from "./pipelines.ts";

const engine = createEngine({ databaseUrl: process.env.DATABASE_URL ?? "", pipelines: [welcome] });
await engine.migrate(); // makes or updates the schema "lockstep"; your own tables are not touched
await engine.start();
console.log("working");

process.once("SIGTERM", () => engine.stop()); // running jobs may finish
process.once("SIGINT", () => engine.stop());
