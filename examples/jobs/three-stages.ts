import { startPostgres } from "@lockstep/local-postgres";
import { createEngine, definePipeline } from "lockstep";

const running = new Map<string, number>();
let mostAtOnce = 0;

// The model allows each tenant two questions at a time, whatever number of workers there are.
const analysis = definePipeline<{ url: string }>("analysis")
  .stage("fetch", { timeoutMs: 20_000, maxAttempts: 5 }, async ({ payload }) => ({
    text: `the text of ${payload.url}`,
  }))
  .stage("ask", { processors: 20, groupConcurrency: 2 }, async ({ output, groupKey, once }) => {
    const tenant = groupKey ?? "";
    running.set(tenant, (running.get(tenant) ?? 0) + 1);
    mostAtOnce = Math.max(mostAtOnce, running.get(tenant) ?? 0);
    // Paid for once: an attempt after a crash gets the answer that is kept.
    const answer = await once("model", () => askModel(output.text));
    running.set(tenant, (running.get(tenant) ?? 0) - 1);
    return answer;
  })
  .stage("store", ({ payload, output }) => ({ url: payload.url, words: output.words }));

async function askModel(text: string) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { words: text.split(" ").length };
}

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [analysis] });
await engine.migrate();
await engine.start();

const items = ["large", "large", "large", "large", "large", "small"].map((tenant, number) => ({
  payload: { url: `https://${tenant}.example/${number}` },
  groupKey: tenant,
  owner: tenant,
}));
for (const { id } of await engine.addMany(analysis, items)) console.log(await engine.result(id));
console.log(`at most ${mostAtOnce} of one tenant at once`);

await engine.stop();
