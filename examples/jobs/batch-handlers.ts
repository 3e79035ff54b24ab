import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline, giveUp } from "lockstep";

/** As a provider would: one request for many texts, with a vector or an error for each of them. */
async function embedAll(
  texts: string[],
  signal: AbortSignal,
): Promise<({ vector: number[] } | { error: string })[]> {
  signal.throwIfAborted();
  console.log(`one request for ${texts.length} texts`);
  return texts.map((text) =>
    text === "" ? { error: "the text is empty" } : { vector: [text.length, text.split(" ").length] },
  );
}

const search = definePipeline<{ text: string }>("search")
  .stage("clean", ({ payload }) => payload.text.trim())
  .stage("embed", { batch: { size: 100, waitMs: 50 } }, async (jobs, { signal }) => {
    const answers = await embedAll(
      jobs.map(({ output }) => output),
      signal,
    );
    // One answer for each job, in their order. A job that fails does not touch the others.
    return answers.map((answer) => ("error" in answer ? giveUp(answer.error) : answer.vector));
  })
  .stage("store", ({ payload, output }) => `${payload.text}: ${output.join(", ")}`); // typed: number[]

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [search] });
await engine.migrate();

const texts = ["a lamp", "a red chair", " "];
const added = await engine.addMany(
  search,
  texts.map((text) => ({ payload: { text } })),
);
await engine.start();
for (const { id } of added) {
  console.log(await engine.result(id).catch((error) => error.message));
}

await engine.stop();
