import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";
import { z } from "zod";

const seconds = (count: number) => count * 1_000;
const days = (count: number) => count * 86_400_000;

const order = definePipeline("order", { payload: z.object({ item: z.string(), amount: z.number() }) })
  .stage("quote", ({ payload }) => ({ price: payload.amount * 12 }))
  // Until somebody decides, or three days have passed. No worker is held, and nothing polls.
  .wait("approval", {
    signal: z.object({ approved: z.boolean(), by: z.string() }),
    timeoutMs: days(3),
    onTimeout: "fail",
  })
  .stage("ship", ({ output, outputs }) => {
    // typed: { approved, by } of the signal, and { price } of the quote
    if (!output.approved) return `${output.by} said no`;
    return `shipped for ${outputs.quote.price}, approved by ${output.by}`;
  })
  .sleep("cool-down", { forMs: seconds(1) })
  // What the stage before the sleep returned.
  .stage("ask-for-review", ({ output }) => `${output}; how was it?`);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [order] });
await engine.migrate();
await engine.start();

// By its id. A signal that comes before the job has come to the wait is kept.
const { id } = await engine.add(order, { item: "lamp", amount: 3 });
const early = await engine.signal(order, id, "approval", { approved: true, by: "ada" });
console.log(early === "kept" || early === "signalled" ? "told" : early);
console.log(await engine.signal(order, id, "approval", { approved: false, by: "eve" }));
console.log(await engine.result(id));

// By a key, for those who do not know the id.
const second = await engine.add(order, { item: "desk", amount: 1 }, { signalKey: "order 7" });
const answer = await engine.signalByKey(order, "order 7", "approval", { approved: false, by: "grace" });
console.log(answer.jobId === second.id);
console.log(await engine.result(second.id));

for (const { stage, outcome } of (await engine.get(id))?.waits ?? []) console.log(`${stage}: ${outcome}`);

await engine.stop();
