import { setMaxListeners } from "node:events";
import { OpenAPIHono } from "@hono/zod-openapi";
import { doorOf } from "./access/door.ts";
import { endUserDoor } from "./access/end-user-door.ts";
import { approvalRoutes } from "./approvals/approval-routes.ts";
import { approvalsPath } from "./approvals/approvals-path.ts";
import { readServerConfig, type ServerOptions } from "./config/server-config.ts";
import { HealthChecker } from "./health/health-checker.ts";
import { JobView } from "./jobs/job-view.ts";
import { OldestWaits } from "./jobs/oldest-waits.ts";
import { makeLive } from "./live/make-live.ts";
import { answerErrors } from "./middleware/answer-errors.ts";
import { checkHost } from "./middleware/check-host.ts";
import { identifyCaller } from "./middleware/identify-caller.ts";
import { limitBody } from "./middleware/limit-body.ts";
import { limitRates } from "./middleware/limit-rates.ts";
import { logRequests } from "./middleware/log-requests.ts";
import { protectAnswers } from "./middleware/protect-answers.ts";
import { refuseCrossSite } from "./middleware/refuse-cross-site.ts";
import { tellTime } from "./middleware/tell-time.ts";
import { pageRoutes } from "./pages/page-routes.ts";
import { Redactor } from "./redaction/redactor.ts";
import { apiOf } from "./routes/api.ts";
import { healthRoutes } from "./routes/health.ts";
import { nothingHere } from "./routes/nothing-here.ts";
import type { RouteParts } from "./routes/route-parts.ts";
import { Server } from "./server.ts";
import type { Peer, ServerEnv } from "./server-env.ts";
import { startWhenReady } from "./start-when-ready.ts";

/** Where the API lies, under the path of the mount. */
export const apiPath = "/api/v1";

/** Makes a server for an engine's jobs. It listens nowhere by itself: hand its `fetch` to whatever does, or `listen`. */
export function createServer(options: ServerOptions): Server {
  const config = readServerConfig(options);
  const { engine, clock, mountPath, readConnections, readTimeoutMs } = config;
  const stopping = new AbortController();
  // Every stream and every waiting answer listens; Node's warning is for listeners that are never removed.
  setMaxListeners(0, stopping.signal);
  const reader = engine.reader({ connections: readConnections, statementTimeoutMs: readTimeoutMs });
  const door = endUserDoor(engine, doorOf(config.access));
  const view = new JobView(new Redactor(config.redact, config.redactKeys));
  const waits = new OldestWaits({ reader, clock });
  const live = makeLive({ config, reader, view, waits, stopping: stopping.signal });
  const parts: RouteParts = {
    config,
    engine,
    reader,
    view,
    live,
    waits,
    door,
    link: (path) => `${mountPath}${apiPath}${path}`,
    stopping: stopping.signal,
  };
  const health = new HealthChecker({ engine, reader, live, clock });
  const api = apiOf(parts, health);

  // A host that mounts it may have taken its path away already, or not.
  const app = new OpenAPIHono<ServerEnv>({
    getPath: ({ url }) => withoutMount(new URL(url).pathname, mountPath),
  });
  app.use(protectAnswers, logRequests(config.logger, clock));
  app.use(checkHost(config), refuseCrossSite, identifyCaller(door, clock));
  app.use(tellTime(clock), limitRates(config), limitBody(config.bodyLimitBytes));
  app.route(apiPath, api);
  app.route("/", healthRoutes(parts, health));
  app.route(approvalsPath, approvalRoutes({ engine, view, mountPath }));
  app.route("/", pageRoutes(config, health));
  app.onError(answerErrors(config.logger));
  app.notFound(nothingHere(api, apiPath));

  // Continues bulk actions of any process, also of one that ended before they were done.
  const bulkRunner = engine.bulkRunner();
  const starting = startWhenReady(() => bulkRunner.start(), { reader, clock, stopping: stopping.signal });

  return new Server({
    config,
    answer: async (request: Request, peer: Peer) => await app.fetch(request, peer),
    beginStop: () => stopping.abort(),
    endStop: async () => {
      await starting;
      await bulkRunner.stop();
      await live.stop();
      await reader.close();
    },
  });
}

function withoutMount(path: string, mountPath: string): string {
  if (mountPath === "" || !path.startsWith(mountPath)) return path;
  const rest = path.slice(mountPath.length);
  return rest === "" ? "/" : rest.startsWith("/") ? rest : path;
}
