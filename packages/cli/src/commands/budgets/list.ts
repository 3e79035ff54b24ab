import type { BudgetInfo, BudgetTotals } from "lockstep";
import { defineCommand } from "../../command-line/command.ts";
import { amountText } from "../../output/amount-text.ts";
import { timeText } from "../../output/time-text.ts";
import { exitCode } from "../../session/exit-code.ts";

type Listed = BudgetInfo & Partial<BudgetTotals>;

export const listBudgetsCommand = defineCommand({
  name: "budgets list",
  aliases: ["budgets"],
  summary: "Lists the budgets, what is in use of each, and how many jobs wait for it.",
  examples: [
    ["lockstep budgets", "all there are"],
    ["lockstep budgets --json", "with the ten scopes of each that are nearest to their limit"],
  ],
  flags: {},
  async run({ reader, output, io }) {
    const queue = await reader();
    const [budgets, totals] = await Promise.all([queue.budgets(), queue.budgetTotals()]);
    const inUse = new Map(totals.map((total) => [total.name, total]));
    const listed = budgets.map((budget): Listed => ({ ...inUse.get(budget.name), ...budget }));
    const { isForPeople, paint } = output;
    const amount = (value: number | undefined, unit: string | null) =>
      amountText(value ?? 0, unit, isForPeople);
    await output.list(
      listed,
      [
        { title: "BUDGET", cell: ({ name }) => name },
        { title: "PER", cell: ({ per }) => per },
        { title: "LIMIT", cell: ({ limit, unit }) => amount(limit, unit), align: "right" },
        { title: "SPENT", cell: ({ spent }) => amount(spent, null), align: "right" },
        { title: "RESERVED", cell: ({ reserved }) => amount(reserved, null), align: "right" },
        {
          title: "FULLEST",
          cell: ({ fullest }) => {
            const first = fullest?.[0];
            return first === undefined || first.scope === "" ? "" : `${first.scope} ${shareText(first)}`;
          },
          isElastic: true,
        },
        {
          title: "WAITING",
          cell: ({ waitingJobs }) => String(waitingJobs),
          align: "right",
          paint: (text, { waitingJobs }) => (waitingJobs > 0 ? paint.cyan(text) : text),
        },
        { title: "TURNS", cell: ({ turnsAt }) => timeText(turnsAt, io.clock.now(), isForPeople) },
      ],
      { none: "There is no budget: pipelines list them." },
    );
    return exitCode("done");
  },
});

function shareText({ spent, reserved, limit }: { spent: number; reserved: number; limit: number }): string {
  return limit === 0 ? "full" : `${Math.round(((spent + reserved) / limit) * 100)}%`;
}
