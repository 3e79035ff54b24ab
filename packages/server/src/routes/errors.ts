import { createRoute } from "@hono/zod-openapi";
import {
  errorHistoriesSchema,
  errorHistoryQuery,
  errorKindsSchema,
  errorsQuery,
} from "../contract/errors.ts";
import { needs } from "../middleware/needs.ts";
import { json, problems } from "./answers.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import type { RouteParts } from "./route-parts.ts";

const listErrors = createRoute({
  method: "get",
  path: "/errors",
  summary: "What jobs failed with, by kind",
  tags: ["jobs"],
  ...needs("jobs.read"),
  request: { query: errorsQuery },
  responses: {
    200: json(
      errorKindsSchema,
      "By kind, over the newest 10,000 failures; what one pipeline does not use of them goes to the others.",
    ),
    ...problems("filter.invalid", "input.invalid", "pipeline.unknown"),
  },
});

const getHistory = createRoute({
  method: "get",
  path: "/errors/history",
  summary: "How many jobs failed with each kind of error, step by step",
  tags: ["jobs"],
  ...needs("jobs.read"),
  request: { query: errorHistoryQuery },
  responses: {
    200: json(
      errorHistoriesSchema,
      "By default the last day, by the hour: the 100 latest kinds, over the newest 10,000 failures.",
    ),
    ...problems("input.invalid"),
  },
});

export function errorRoutes({ reader, view }: RouteParts): ApiApp {
  const app = apiApp();
  app.openapi(listErrors, async (c) => {
    const kinds = await reader.errors(c.req.valid("query"));
    return c.json({ data: kinds.map((kind) => view.error(kind)) }, 200);
  });
  app.openapi(getHistory, async (c) =>
    c.json({ data: await reader.errorHistory(c.req.valid("query")) }, 200),
  );
  return app;
}
