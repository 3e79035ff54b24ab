import { budget, createEngine, definePipeline, type Engine } from "lockstep";
import type { Client } from "pg";
import { until } from "../../test/scenarios/stories/until.ts";

const dayMs = 86_400_000;
const tokens = budget("openai-tokens", { per: "owner", limit: 100_000, everyMs: dayMs, unit: "tokens" });
const money = budget("model-costs", { per: "total", limit: 25, everyMs: 30 * dayMs, unit: "USD" });
const questions = definePipeline<{ tokens: number }>("questions", { budgets: [tokens, money] }).stage(
  "ask",
  { spends: { "openai-tokens": 20_000, "model-costs": 0.5 } },
  async ({ payload, spend }) => {
    await spend("openai-tokens", payload.tokens);
    await spend("model-costs", payload.tokens / 100_000);
  },
);

/** Budgets with owners who have spent more or less of them, one whose jobs wait, and a month of days before. */
export async function addBudgets(databaseUrl: string, client: Pick<Client, "query">): Promise<Engine> {
  const engine = createEngine({ databaseUrl, pipelines: [questions], workerName: "worker-3", logger: null });
  await engine.start();
  const spent: Record<string, number[]> = {
    ada: [19_000, 18_500, 19_800, 17_900, 15_300],
    grace: [12_400, 8_100],
    linus: [4_200],
    margaret: [16_000, 14_500, 11_000],
  };
  for (const [owner, amounts] of Object.entries(spent))
    for (const amount of amounts) {
      const { id } = await engine.add(questions, { tokens: amount }, { owner });
      await engine.result(id);
    }
  for (let count = 0; count < 3; count += 1) await engine.add(questions, { tokens: 9_000 }, { owner: "ada" });
  await until("jobs wait for a budget", async () =>
    (await engine.budgets()).some(({ waitingJobs }) => waitingJobs === 3),
  );
  await engine.setBudgetLimit("openai-tokens", 60_000, { scope: "margaret", by: "otto", reason: "on trial" });
  await client.query(
    `insert into lockstep.budget_usage (budget_id, scope, period_began, spent, attempts)
    select b.id, o.owner, date_trunc('day', now() at time zone 'UTC') at time zone 'UTC' - make_interval(days => d.day),
      round(o.most * (0.55 + 0.45 * sin(d.day * 1.7 + length(o.owner)))), 6
    from lockstep.budgets b, (values ('ada', 98000), ('grace', 61000), ('margaret', 52000)) o (owner, most),
      generate_series(1, 29) d (day)
    where b.name = 'openai-tokens'`,
  );
  return engine;
}
