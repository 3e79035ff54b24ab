import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const email = definePipeline<{ to: string }>("send_email").stage(
  "send",
  { maxAttempts: 5 },
  ({ payload, log }) => {
    log.info(`to ${payload.to}`);
    console.log(`sent to ${payload.to}`);
  },
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [email] });
await engine.migrate();
await engine.start();

const { id } = await engine.add(email, { to: "ada@example.org" });
// A later add of the key replaces the payload and moves the time, until a worker has the job.
const replaced = { dedupKey: "digest", dedup: { debounceMs: 3_600_000 } };
await engine.add(email, { to: "grace@example.org" }, replaced);
await engine.schedule("daily", email, { cron: "0 4 * * *", payload: { to: "team@example.org" } });

await engine.result(id);
await engine.stop();
