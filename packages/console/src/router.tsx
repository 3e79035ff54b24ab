import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import { basePath } from "./api/base-path.ts";
import type { ErrorSort } from "./api/errors-api.ts";
import { type Range, ranges } from "./api/pipelines-api.ts";
import { jobsSearch } from "./components/jobs/jobs-search.ts";
import { ErrorState } from "./components/shared/states.tsx";
import { AppShell } from "./shell/app-shell.tsx";
import { lazyPage } from "./shell/lazy-page.tsx";
import { NotFound } from "./shell/not-found.tsx";

const root = createRootRoute({ component: AppShell, notFoundComponent: NotFound });

const overview = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: rangeSearch,
  component: lazyPage(() => import("./pages/overview-page.tsx"), "OverviewPage"),
});

const pipelines = createRoute({
  getParentRoute: () => root,
  path: "/pipelines",
  validateSearch: rangeSearch,
  component: lazyPage(() => import("./pages/pipelines-page.tsx"), "PipelinesPage"),
});

const pipeline = createRoute({
  getParentRoute: () => root,
  path: "/pipelines/$name",
  validateSearch: rangeSearch,
  component: lazyPage(() => import("./pages/pipeline-page.tsx"), "PipelinePage"),
});

const jobs = createRoute({
  getParentRoute: () => root,
  path: "/jobs",
  validateSearch: jobsSearch,
  component: lazyPage(() => import("./pages/jobs-page.tsx"), "JobsPage"),
});

const job = createRoute({
  getParentRoute: () => root,
  path: "/jobs/$id",
  component: lazyPage(() => import("./pages/job-page.tsx"), "JobPage"),
});

const waits = createRoute({
  getParentRoute: () => root,
  path: "/waits",
  component: lazyPage(() => import("./pages/waits-page.tsx"), "WaitsPage"),
});

const workers = createRoute({
  getParentRoute: () => root,
  path: "/workers",
  component: lazyPage(() => import("./pages/workers-page.tsx"), "WorkersPage"),
});

const worker = createRoute({
  getParentRoute: () => root,
  path: "/workers/$id",
  component: lazyPage(() => import("./pages/worker-page.tsx"), "WorkerPage"),
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: "/schedules",
  component: lazyPage(() => import("./pages/schedules-page.tsx"), "SchedulesPage"),
});

const budgets = createRoute({
  getParentRoute: () => root,
  path: "/budgets",
  component: lazyPage(() => import("./pages/budgets-page.tsx"), "BudgetsPage"),
});

const budget = createRoute({
  getParentRoute: () => root,
  path: "/budgets/$name",
  // A scope such as 7 is a name all the same.
  validateSearch: ({ scope }): { scope?: string } => (scope === undefined ? {} : { scope: String(scope) }),
  component: lazyPage(() => import("./pages/budget-page.tsx"), "BudgetPage"),
});

const errors = createRoute({
  getParentRoute: () => root,
  path: "/errors",
  validateSearch: ({ sort }): { sort?: ErrorSort } => (sort === "-jobs" ? { sort } : {}),
  component: lazyPage(() => import("./pages/errors-page.tsx"), "ErrorsPage"),
});

const error = createRoute({
  getParentRoute: () => root,
  path: "/errors/$fingerprint",
  validateSearch: rangeSearch,
  component: lazyPage(() => import("./pages/error-page.tsx"), "ErrorPage"),
});

const bulk = createRoute({
  getParentRoute: () => root,
  path: "/bulk",
  component: lazyPage(() => import("./pages/bulk-page.tsx"), "BulkPage"),
});

const bulkAction = createRoute({
  getParentRoute: () => root,
  path: "/bulk/$id",
  component: lazyPage(() => import("./pages/bulk-action-page.tsx"), "BulkActionPage"),
});

// Not /health: there load balancers ask the server.
const health = createRoute({
  getParentRoute: () => root,
  path: "/system",
  component: lazyPage(() => import("./pages/health-page.tsx"), "HealthPage"),
});

const activity = createRoute({
  getParentRoute: () => root,
  path: "/activity",
  component: lazyPage(() => import("./pages/activity-page.tsx"), "ActivityPage"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyPage(() => import("./pages/settings-page.tsx"), "SettingsPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    pipelines,
    pipeline,
    jobs,
    job,
    waits,
    workers,
    worker,
    schedules,
    budgets,
    budget,
    errors,
    error,
    bulk,
    bulkAction,
    health,
    activity,
    settings,
  ]),
  basepath: basePath,
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultErrorComponent: ({ error, reset }) => (
    <ErrorState
      error={error}
      onRetry={() => {
        void router.invalidate().then(reset);
      }}
    />
  ),
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}

function rangeSearch(search: Record<string, unknown>): { range?: Range } {
  const { range } = search;
  return typeof range === "string" && range in ranges ? { range: range as Range } : {};
}
