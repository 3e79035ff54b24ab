import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const email = definePipeline<{ to: string }>("email").stage(
  "send",
  { maxAttempts: 4, retry: { kind: "exponential", baseMs: 30_000 } },
  async ({ payload }) => {
    console.log(`sent to ${payload.to}`);
  },
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [email] });
await engine.migrate();
await engine.start();

const { id } = await engine.add(email, { to: "ada@example.org" });
const later = new Date(Date.now() + 3_600_000);
await engine.add(email, { to: "grace@example.org" }, { scheduledFor: later, dedupKey: "reminder" });
await engine.schedule("morning", email, {
  cron: "0 6 * * *",
  timeZone: "Europe/Berlin",
  payload: { to: "team@example.org" },
});

await engine.result(id);
await engine.stop();
