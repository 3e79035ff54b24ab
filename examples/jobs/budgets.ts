import { startPostgres } from "@lockstep/local-postgres";
import { budget, createEngine, definePipeline } from "lockstep";

/** Stands for a model that tells what a call has cost. */
const askModel = async (question: string) => ({ text: `about ${question}`, tokens: 1_200 });

// Each owner may spend 3,000 tokens a day.
const tokens = budget("tokens", { per: "owner", limit: 3_000, everyMs: 86_400_000, unit: "tokens" });

const answers = definePipeline<{ question: string }>("answers", { budgets: [tokens] }).stage(
  "ask",
  { spends: { tokens: 1_500 } }, // reserved when the job is claimed
  async ({ payload, once, owner }) => {
    const text = await once("ask the model", async ({ spend }) => {
      const answer = await askModel(payload.question);
      spend("tokens", answer.tokens); // counted once, however often the job is tried
      return answer.text;
    });
    console.log(`${owner}: ${text}`);
  },
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [answers], logger: null });
await engine.migrate();
await engine.start();

const add = async (owner: string, question: string) =>
  (await engine.add(answers, { question }, { owner })).id;
const first = [await add("ada", "rain"), await add("ada", "snow")];
for (const id of first) await engine.result(id);
const third = await add("ada", "hail"); // 2,400 are spent, and 1,500 do not fit any more
const bobs = await add("bob", "wind");
await engine.result(bobs); // bob does not wait for ada

const [usage] = await engine.budgetUsage("tokens", { scope: "ada" });
console.log(`ada has spent ${usage?.spent} of ${usage?.limit}`);
const reasons = await engine.explain(third);
console.log(reasons.find(({ reason }) => reason === "budget")?.detail.budget);

await engine.setBudgetLimit("tokens", 10_000, { scope: "ada", by: "grace", reason: "she has paid" });
await engine.result(third);

await engine.stop();
