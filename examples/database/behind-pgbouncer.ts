import { createEngine, definePipeline } from "lockstep";

const greeting = definePipeline<{ name: string }>("greeting").stage(
  "compose",
  ({ payload }) => `Hello, ${payload.name}!`,
);

const engine = createEngine({
  databaseUrl: process.env.DATABASE_URL ?? "", // through PgBouncer, pool_mode = transaction
  listenUrl: process.env.DIRECT_URL ?? null, // PostgreSQL itself: one connection, for wake-ups; null polls
  transactionPooler: true,
  pipelines: [greeting],
});
await engine.migrate();
await engine.start();

const { id } = await engine.add(greeting, { name: "Ada" });
console.log(await engine.result(id));
await engine.stop();
