import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const exports = definePipeline<{ rows: number }>("export").stage(
  "write",
  async ({ payload, signal, progress }) => {
    for (let row = 1; row <= payload.rows; row += 1) {
      signal.throwIfAborted(); // cancelled, out of time, shut down, or no longer the holder
      await sleep(10, undefined, { signal }); // fetch, pg-cursor and most other clients take a signal too
      progress((100 * row) / payload.rows);
    }
  },
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [exports] });
await engine.migrate();

const waiting = await engine.add(exports, { rows: 1 });
console.log(`waiting: ${await engine.cancel(waiting.id)}`);

const long = await engine.add(exports, { rows: 100_000 });
const started = new Promise((resolve) => engine.on("job.started", resolve));
await engine.start();
await started;
console.log(`running: ${await engine.cancel(long.id)}`); // from any process
await engine.result(long.id).catch((error: Error) => console.log(error.name));
console.log(`again: ${await engine.cancel(long.id)}`);

await engine.stop();
