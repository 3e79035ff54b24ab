import type { HealthChecker } from "../health/health-checker.ts";
import { needsCaller } from "../middleware/needs.ts";
import { openApiOf } from "../openapi/openapi.ts";
import { addJobRoutes } from "./add-jobs.ts";
import { type ApiApp, apiApp } from "./api-app.ts";
import { auditRoutes } from "./audit.ts";
import { budgetRoutes } from "./budgets.ts";
import { bulkActionRoutes } from "./bulk-actions.ts";
import { errorRoutes } from "./errors.ts";
import { eventRoutes } from "./events.ts";
import { healthRoutes } from "./health.ts";
import { jobRoutes } from "./jobs.ts";
import { listJobRoutes } from "./list-jobs.ts";
import { accessRoutes } from "./me.ts";
import { moveJobRoutes } from "./move-jobs.ts";
import { pipelineRoutes } from "./pipelines.ts";
import type { RouteParts } from "./route-parts.ts";
import { scheduleRoutes } from "./schedules.ts";
import { signalRoutes } from "./signals.ts";
import { stageRoutes } from "./stages.ts";
import { statsRoutes } from "./stats.ts";
import { streamRoutes } from "./streams.ts";
import { waitRoutes } from "./waits.ts";
import { workerRoutes } from "./workers.ts";

const resources: readonly ((parts: RouteParts) => ApiApp)[] = [
  addJobRoutes,
  // Before the routes of one job: "counts" is no id.
  listJobRoutes,
  jobRoutes,
  streamRoutes,
  moveJobRoutes,
  signalRoutes,
  waitRoutes,
  pipelineRoutes,
  stageRoutes,
  workerRoutes,
  statsRoutes,
  scheduleRoutes,
  budgetRoutes,
  accessRoutes,
  eventRoutes,
  auditRoutes,
  errorRoutes,
  bulkActionRoutes,
];

/** All of /api/v1. */
export function apiOf(parts: RouteParts, health: HealthChecker): ApiApp {
  const api = apiApp();
  for (const routes of resources) api.route("/", routes(parts));
  api.route("/", healthRoutes(parts, health));
  const document = openApiOf(api, parts.link(""));
  api.get("/openapi.json", needsCaller().middleware, (c) => c.json(document));
  return api;
}
