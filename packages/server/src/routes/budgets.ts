import { createRoute, z } from "@hono/zod-openapi";
import type { BudgetUsage, BudgetUsageFilter } from "lockstep";
import type { Caller } from "../access/caller.ts";
import {
  budgetLimitAnswerSchema,
  budgetsSchema,
  budgetUsagePageSchema,
  budgetUsageQuery,
  setBudgetLimitSchema,
} from "../contract/budgets.ts";
import { callerOf, needs } from "../middleware/needs.ts";
import { ProblemError } from "../middleware/problem-error.ts";
import { recorded } from "../middleware/recorded.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import { keyedPage, keyIn } from "./keyed-page.ts";
import type { RouteParts } from "./route-parts.ts";
import { writeHeaders } from "./write-headers.ts";

const params = z.object({ name: z.string().openapi({ example: "openai-tokens" }) });

const listBudgets = createRoute({
  method: "get",
  path: "/budgets",
  summary: "The budgets, and how much of each is in use",
  tags: ["budgets"],
  ...needs("jobs.read"),
  responses: { 200: json(budgetsSchema, "By name."), ...problems() },
});

const listUsage = createRoute({
  method: "get",
  path: "/budgets/{name}/usage",
  summary: "What each scope of a budget has spent in each period, the newest first",
  tags: ["budgets"],
  ...needs("jobs.read", { ownerBound: true }),
  request: { params, query: budgetUsageQuery },
  responses: {
    200: json(budgetUsagePageSchema, "A page, by period and then by scope. An owner sees their own."),
    ...problems("budget.not_found", "cursor.invalid", "input.invalid", "owner.bound"),
  },
});

const setLimit = createRoute({
  method: "put",
  path: "/budgets/{name}/limit",
  summary: "Set the limit of a budget while jobs run, or of one of its scopes",
  tags: ["budgets"],
  ...needs("budgets.change"),
  request: {
    params,
    headers: writeHeaders,
    body: { required: true, content: { "application/json": { schema: setBudgetLimitSchema } } },
  },
  responses: {
    200: json(budgetLimitAnswerSchema, "It holds at once; jobs that wait go on if there is room."),
    ...problems("budget.not_found", "input.invalid"),
  },
});

export function budgetRoutes({ engine, reader }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(listBudgets, async (c) => {
    const [budgets, totals] = await Promise.all([reader.budgets(), reader.budgetTotals()]);
    const inUse = new Map(totals.map((total) => [total.name, total]));
    const data = budgets.map((budget) => ({ ...unused, ...inUse.get(budget.name), ...budget }));
    return c.json({ data }, 200);
  });
  app.openapi(listUsage, async (c) => {
    const { name } = c.req.valid("param");
    const { cursor, limit, since, ...asked } = c.req.valid("query");
    const caller = callerOf(c);
    const scope = caller.owner === null ? asked.scope : await ownScope(caller, name, asked.scope);
    const after = placeIn(cursor);
    // One more than is shown tells whether there are more.
    const found = await reader.budgetUsage(name, { scope, since, after, limit: limit + 1 });
    return c.json(keyedPage(found, limit, keyOf), 200);
  });
  app.openapi(setLimit, async (c) => {
    const { name } = c.req.valid("param");
    const { limit, scope, reason } = c.req.valid("json");
    const changed = await recorded(c, engine, { action: "budgets.set_limit" }, (writes) =>
      writes.setBudgetLimit(name, limit, { scope, reason }),
    );
    return c.json({ name, scope: scope ?? null, limit, changed }, 200);
  });
  return app;

  /** Whoever is bound to an owner sees what that owner has spent, where owners have shares of their own. */
  async function ownScope({ user, owner }: Caller, name: string, asked: string | undefined) {
    const budget = (await reader.budgets()).find((one) => one.name === name);
    if (budget === undefined) throw new ProblemError("budget.not_found", `There is no budget "${name}".`);
    if (owner !== null && budget.per === "owner" && (asked ?? owner) === owner) return owner;
    throw new ProblemError(
      "owner.bound",
      `The access of ${user} is bound to the owner "${owner}", and this usage is not only that owner's.`,
    );
  }
}

// A budget that is defined between the two reads.
const unused = { spent: 0, reserved: 0, scopes: 0, fullest: [] };

function keyOf({ periodBegan, scope }: BudgetUsage): string {
  return `${periodBegan.getTime()}.${scope}`;
}

function placeIn(cursor: string | undefined): BudgetUsageFilter["after"] {
  const key = keyIn(cursor, /^\d{1,15}\.[^\0]{0,255}$/s);
  if (key === undefined) return undefined;
  const dot = key.indexOf(".");
  return { periodBegan: new Date(Number(key.slice(0, dot))), scope: key.slice(dot + 1) };
}
