import { createEngine, definePipeline } from "lockstep";

export const greet = definePipeline("greet").stage("hello", ({ payload }) => ({
  text: `Hello, ${payload.name}`,
}));

// While it builds, Next loads this too, and nobody has said where the database is.
// biome-ignore lint/style/noProcessEnv: where an application has it from.
const databaseUrl = process.env.DATABASE_URL ?? "postgres://localhost/none";

export const engine = createEngine({
  databaseUrl,
  pipelines: [greet],
  leaseMs: 6_000,
  heartbeatIntervalMs: 500,
});
