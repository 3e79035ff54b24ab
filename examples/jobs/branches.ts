import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline, finish, runChild } from "lockstep";

const translation = definePipeline<{ text: string }>("translation").stage(
  "translate",
  ({ payload }) => `${payload.text} (in German)`,
);

const article = definePipeline<{ title: string; isDraft?: boolean }>("article")
  // finish(result): completed at once, whatever stages are left
  .stage("look", ({ payload }) => (payload.title === "" ? finish("nothing to do") : payload.title.trim()))
  // when: false skips the stage, and what came before passes through
  .stage("shorten", { when: ({ output }) => output.length > 12 }, ({ output }) => `${output.slice(0, 11)}…`)
  // branches run side by side, as jobs of their own
  .parallel(
    "enrich",
    {
      words: ({ output }) => output.split(" ").length,
      loud: [{ maxAttempts: 5, timeoutMs: 10_000 }, async ({ output }) => output.toUpperCase()],
      german: [translation, ({ output }) => ({ text: output })],
      picture: ({ payload }) => {
        if (payload.isDraft) throw new Error("a draft has no picture");
        return "picture.png";
      },
    },
    { onFailure: { picture: "ignore" } },
  )
  // typed: { words: number, loud: string, german: string, picture?: string }
  .stage("again", ({ output }) => runChild(translation, { text: output.loud }))
  // typed: string, what the child returned
  .stage("publish", ({ output, outputs }) => `${output}, ${outputs.enrich.words} words`);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [article, translation] });
await engine.migrate();
await engine.start();

const { id } = await engine.add(article, { title: "On branches and trees" });
console.log(await engine.result(id));
for (const { stage, branch, status } of await engine.branches(id)) console.log(stage, branch, status);

const empty = await engine.add(article, { title: "" });
console.log(await engine.result(empty.id));

// Once more from a stage, as a new job, with what the stages before have returned.
const forked = await engine.fork(id, { fromStage: "publish" });
if (forked.id !== null) console.log(await engine.result(forked.id));

await engine.stop();
