import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline, fanOut } from "lockstep";

const page = definePipeline<{ number: number }>("page").stage(
  "print",
  ({ payload }) => `page ${payload.number}`,
);

// A fan-out: the job waits in its next stage until all of its children have ended.
const book = definePipeline<{ pages: number }>("book")
  .stage("split", ({ payload }) => {
    const numbers = Array.from({ length: payload.pages }, (_, index) => index + 1);
    return fanOut(
      page,
      numbers.map((number) => ({ payload: { number } })),
      { onFailure: "fail" },
    );
  })
  .stage("bind", async ({ children }) => (await children.results()).join(" | ")); // typed: string[]

// What follows a batch reads what became of its jobs in the same way.
const report = definePipeline<{ title: string }>("report").stage("write", async ({ payload, children }) => {
  const outcomes = await children.all();
  return `${payload.title}: ${outcomes.map(({ status }) => status).join(", ")}`;
});

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [page, book, report] });
await engine.migrate();

const { id, followerId } = await engine.addBatch(
  book,
  [{ payload: { pages: 3 } }, { payload: { pages: 1 } }],
  { followedBy: { pipeline: report, payload: { title: "two books" } } },
);
await engine.start();
if (followerId !== null) console.log(await engine.result(followerId));

const batch = await engine.batch(id);
console.log(`${batch?.state}: ${batch?.completed} of ${batch?.total}`);
for (const { result } of await engine.batchResults(id)) console.log(result);

await engine.stop();
