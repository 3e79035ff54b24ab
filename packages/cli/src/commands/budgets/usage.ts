import type { BudgetUsage } from "lockstep";
import { defineCommand } from "../../command-line/command.ts";
import { knownBudget } from "../../errors/known-budget.ts";
import { amountText } from "../../output/amount-text.ts";
import { timeText } from "../../output/time-text.ts";
import { exitCode } from "../../session/exit-code.ts";

const rowsPerCall = 1_000;

export const budgetUsageCommand = defineCommand({
  name: "budgets usage",
  summary: "Says what each scope of a budget has spent in each period, the newest first.",
  examples: [
    ["lockstep budgets usage openai-tokens", "who has spent what"],
    ["lockstep budgets usage openai-tokens --scope user-7", "what one owner has spent, period by period"],
    ["lockstep budgets usage openai-tokens --since 24h --jsonl", "for a program"],
  ],
  usage: "NAME",
  words: { least: 1, most: 1 },
  completes: "budgets",
  flags: {
    scope: { type: "text", placeholder: "SCOPE", sentence: "Only this owner, group or pipeline." },
    since: { type: "time", placeholder: "TIME", sentence: "Only periods that began then or later." },
    limit: { type: "number", least: 1, most: 100_000, sentence: "At most this many rows; default 50." },
  },
  async run({ words, flags, reader, output, io, signal }) {
    const queue = await reader();
    const { name, unit, per } = await knownBudget(queue, words[0] ?? "");
    const { scope, since, limit = 50 } = flags;
    const rows: BudgetUsage[] = [];
    let hasMore = true;
    while (hasMore && rows.length < limit && !signal.aborted) {
      const wanted = Math.min(rowsPerCall - 1, limit - rows.length);
      // One more tells whether there are more.
      const found = await queue.budgetUsage(name, { scope, since, after: rows.at(-1), limit: wanted + 1 });
      rows.push(...found.slice(0, wanted));
      hasMore = found.length > wanted;
    }
    const { isForPeople } = output;
    const amount = (value: number) => amountText(value, null, isForPeople);
    const noScope = per === "total" ? "all jobs" : `no ${per}`;
    await output.list(
      rows,
      [
        {
          title: "SCOPE",
          cell: (row) => (row.scope === "" && isForPeople ? noScope : row.scope),
          isElastic: true,
        },
        { title: "PERIOD", cell: ({ periodBegan, turnsAt }) => periodText(periodBegan, turnsAt) },
        { title: "SPENT", cell: ({ spent }) => amount(spent), align: "right" },
        { title: "RESERVED", cell: ({ reserved }) => amount(reserved), align: "right" },
        { title: "LIMIT", cell: (row) => amountText(row.limit, unit, isForPeople), align: "right" },
        { title: "WAITING", cell: ({ waiting }) => String(waiting), align: "right" },
        { title: "TURNS", cell: ({ turnsAt }) => timeText(turnsAt, io.clock.now(), isForPeople) },
      ],
      { none: "Nothing was spent.", document: { hasMore } },
    );
    if (hasMore && isForPeople) output.note(`${rows.length} shown; --limit shows more.`);
    return exitCode("done");
  },
});

function periodText(began: Date, turnsAt: Date | null): string {
  return turnsAt === null ? "-" : began.toISOString();
}
