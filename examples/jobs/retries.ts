import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline, giveUp, parseJobFilter, retryLater } from "lockstep";

let isRepaired = false;

const order = definePipeline<{ number: number; address: string }>("order")
  .stage("check", ({ payload }) => {
    if (payload.address === "") return giveUp("there is no address"); // for good: no attempt can mend it
    return { number: payload.number };
  })
  .stage("ship", { maxAttempts: 2, retry: { kind: "constant", baseMs: 10 } }, ({ output, attempt }) => {
    if (attempt === 1) return retryLater({ afterMs: 50, reason: "the carrier said 429" }); // when the provider says
    if (!isRepaired) throw new Error("the label printer is broken"); // retried while attempts are left
    return { shipped: output.number };
  });

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [order] });
await engine.migrate();
await engine.start();

const incomplete = await engine.add(order, { number: 1, address: "" });
const complete = await engine.add(order, { number: 2, address: "1 Main Street" });
for (const { id } of [incomplete, complete]) {
  await engine.result(id).catch((error: Error) => console.log(error.message));
}

// The dead letters are the jobs with the status failed, each with the errors of its attempts.
const failed = await engine.reader().jobs(parseJobFilter("status:failed pipeline:order", new Date()));
console.log(`failed: ${failed.jobs.length}`);
const job = await engine.get(complete.id);
for (const { stage, attempt, error } of job?.attempts ?? [])
  console.log(stage, attempt, error?.message ?? "done");

// The cause is gone: the job goes on in the stage where it ended, with what "check" gave.
isRepaired = true;
await engine.retry(complete.id);
console.log(await engine.result(complete.id));

await engine.stop();
