import { defineCommand } from "../../command-line/command.ts";
import { usageError } from "../../errors/cli-error.ts";
import { knownBudget } from "../../errors/known-budget.ts";
import { amountText } from "../../output/amount-text.ts";
import { exitCode } from "../../session/exit-code.ts";

export const budgetLimitCommand = defineCommand({
  name: "budgets limit",
  summary: "Sets the limit of a budget while jobs run, for all its scopes or for one.",
  examples: [
    ["lockstep budgets limit openai-tokens 200000", "for everybody without a limit of their own"],
    ['lockstep budgets limit openai-tokens 500000 --scope user-7 --reason "has paid"', "for one owner"],
    ["lockstep budgets limit openai-tokens none", "takes it back: the limit of the code holds again"],
  ],
  usage: "NAME VALUE|none",
  words: { least: 2, most: 2 },
  completes: "budgets",
  flags: {
    scope: { type: "text", placeholder: "SCOPE", sentence: "Only for this owner, group or pipeline." },
    reason: { type: "text", placeholder: "TEXT", sentence: "Why; it is recorded with who did it." },
  },
  async run({ words, flags, reader, act, output }) {
    const [word = "", value = ""] = words;
    const limit = limitIn(value);
    const { name, unit } = await knownBudget(await reader(), word);
    const { scope, reason } = flags;
    const changed = await act("budgets.set_limit", (writes) =>
      writes.setBudgetLimit(name, limit, { scope, reason }),
    );
    const whose = scope === undefined ? "each scope without a limit of its own" : `"${scope}"`;
    const told = limit === null ? "the limit before it" : amountText(limit, unit, true);
    await output.record({ name, scope: scope ?? null, limit, changed }, () => [
      changed ? `${name}: ${whose} now has ${told}.` : `${name}: it was already so.`,
    ]);
    return exitCode("done");
  },
});

function limitIn(word: string): number | null {
  if (word === "none") return null;
  const value = Number(word);
  if (/^\d+(\.\d+)?(e\d+)?$/i.test(word) && value <= 1e15) return value;
  throw usageError(`A limit is a number from 0 to 1000000000000000, or none, and not "${word}".`);
}
