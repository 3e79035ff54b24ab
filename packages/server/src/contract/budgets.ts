import { z } from "@hono/zod-openapi";
import { instantSchema } from "./instant.ts";
import { pageQuery, pageSchema } from "./page.ts";

const scopeSchema = z.string().openapi({
  description:
    "The owner, group or pipeline whose share it is; empty for the jobs that have none, and of a budget in total.",
  example: "user-7",
});

const limitSchema = z
  .number()
  .openapi({ description: "What the scope may spend in a period, as it is now." });
const spentSchema = z.number().openapi({ description: "By attempts that have ended and by those that run." });
const reservedSchema = z.number().openapi({ description: "What those that run may spend beyond that." });

const fullScopeSchema = z
  .object({
    scope: scopeSchema,
    limit: limitSchema,
    spent: spentSchema,
    reserved: reservedSchema,
    waiting: z.int().openapi({ description: "How many of its jobs wait for room, counted up to 10,000." }),
  })
  .openapi("FullScope");

export const budgetSchema = z
  .object({
    name: z.string(),
    per: z.enum(["owner", "group", "pipeline", "total"]).openapi({
      description: "Who has the limit for itself, as a scope of the budget.",
    }),
    unit: z.string().nullable().openapi({ description: "What is counted, for people.", example: "tokens" }),
    limit: z.number().openapi({ description: "What each scope may spend that has no limit of its own." }),
    definedLimit: z.number().openapi({ description: "The limit that the code has." }),
    everyMs: z.int().nullable().openapi({ description: "How long a period is; null: it never ends." }),
    turnsAt: instantSchema.nullable().openapi({ description: "When the current period ends." }),
    pipelines: z.array(z.string()).readonly().openapi({ description: "Those that list it." }),
    scopesWithLimits: z.int().openapi({ description: "How many scopes have a limit of their own." }),
    waitingJobs: z
      .int()
      .openapi({ description: "How many jobs wait until it has room, counted up to 10,000." }),
    waitingScopes: z.int().openapi({ description: "Of how many scopes these are." }),
    spent: z.number().openapi({ description: "By all scopes together, in the current period." }),
    reserved: z.number().openapi({ description: "What running jobs may spend beyond that." }),
    scopes: z.int().openapi({ description: "How many scopes have spent, run or wait in this period." }),
    fullest: z.array(fullScopeSchema).readonly().openapi({
      description: "The ten scopes that are nearest to their limit or above it, the fullest first.",
    }),
  })
  .openapi("Budget");

export const budgetsSchema = z.object({ data: z.array(budgetSchema).readonly() }).openapi("Budgets");

const instant = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const budgetUsageQuery = z.object({
  scope: z.string().max(255).optional().openapi({ description: "Only of this owner, group or pipeline." }),
  since: instant.optional().openapi({
    type: "string",
    format: "date-time",
    description: "Only periods that began then or later.",
  }),
  ...pageQuery,
});

export const budgetUsageSchema = z
  .object({
    scope: scopeSchema,
    periodBegan: instantSchema.openapi({ description: "1970 if the period never ends." }),
    turnsAt: instantSchema.nullable().openapi({ description: "When the period ends; null: never." }),
    limit: limitSchema,
    isOwnLimit: z.boolean().openapi({ description: "Whether the limit was set for this scope." }),
    spent: spentSchema,
    reserved: reservedSchema,
    running: z.int().openapi({ description: "How many jobs run, or are about to." }),
    attempts: z.int().openapi({ description: "How many attempts have ended." }),
    waiting: z.int().openapi({
      description: "How many jobs wait for room, counted up to 10,000; only in the current period.",
    }),
  })
  .openapi("BudgetUsage");

export const budgetUsagePageSchema = z
  .object({ data: z.array(budgetUsageSchema).readonly(), page: pageSchema })
  .openapi("BudgetUsagePage");

export const setBudgetLimitSchema = z
  .strictObject({
    limit: z.number().min(0).max(1e15).nullable().openapi({
      description: "What may be spent in a period; null takes back the limit that was set.",
    }),
    scope: z.string().max(255).optional().openapi({
      description:
        "Only for this owner, group or pipeline; for all that have no limit of their own by default.",
    }),
    reason: z.string().max(500).optional().openapi({ description: "Why; it is recorded with who did it." }),
  })
  .openapi("SetBudgetLimit", { example: { limit: 200_000, scope: "user-7", reason: "has paid" } });

export const budgetLimitAnswerSchema = z
  .object({
    name: z.string(),
    scope: z.string().nullable().openapi({ description: "Null: the limit of the whole budget." }),
    limit: z.number().nullable().openapi({ description: "As it was set; null: it was taken back." }),
    changed: z.boolean().openapi({ description: "False: it was already so." }),
  })
  .openapi("BudgetLimitAnswer");

export type BudgetAnswer = z.infer<typeof budgetSchema>;
export type BudgetUsageAnswer = z.infer<typeof budgetUsageSchema>;
export type BudgetUsagePageAnswer = z.infer<typeof budgetUsagePageSchema>;
export type SetBudgetLimitRequest = z.input<typeof setBudgetLimitSchema>;
export type BudgetLimitAnswer = z.infer<typeof budgetLimitAnswerSchema>;
