import { type AnyPipeline, type Engine, RefusedError } from "lockstep";

/** How much of one thing a visitor has used today, and may. */
export interface VisitorBudget {
  readonly unit: string;
  readonly spent: number;
  readonly limit: number;
  /** When it begins anew. */
  readonly turnsAt: string | null;
}

/** What a visitor has used of each budget in the current period; none where answers cost nothing. */
export function visitorBudgets(
  engine: Pick<Engine, "budgetUsage">,
  { settings }: AnyPipeline,
  visitor: string,
  now = new Date(),
): Promise<VisitorBudget[]> {
  return Promise.all(
    (settings.budgets ?? []).map(async ({ name, unit, limit }) => {
      const [usage] = await engine.budgetUsage(name, { scope: visitor, limit: 1 }).catch((error: unknown) => {
        // No process has defined it yet.
        if (error instanceof RefusedError) return [];
        throw error;
      });
      const isNow = usage !== undefined && (usage.turnsAt === null || usage.turnsAt > now);
      return {
        unit: unit ?? "",
        spent: isNow ? usage.spent : 0,
        limit: usage?.limit ?? limit,
        turnsAt: isNow ? (usage.turnsAt?.toISOString() ?? null) : null,
      };
    }),
  );
}
