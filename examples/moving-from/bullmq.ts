import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const video = definePipeline<{ file: string }>("video").stage(
  "convert",
  {
    processors: 5,
    maxAttempts: 3,
    retry: { kind: "exponential", baseMs: 1_000 },
    rate: { jobs: 10, perMs: 1_000 },
  },
  async ({ payload, progress }) => {
    progress(50, `half of ${payload.file}`);
    return { converted: payload.file };
  },
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [video] });
await engine.migrate();
engine.on("job.completed", ({ pipeline }) => console.log(`${pipeline} completed`)); // of this process's worker
await engine.start();

const { id } = await engine.add(video, { file: "a.mov" }, { priority: 1 });
await engine.add(
  video,
  { file: "b.mov" },
  { scheduledFor: new Date(Date.now() + 60_000), dedupKey: "b.mov" },
);
await engine.schedule("nightly", video, { cron: "0 3 * * *", payload: { file: "c.mov" } });

console.log(await engine.result(id));
await engine.stop();
