import { Hono } from "hono";
import type { ServerConfig } from "../config/server-settings.ts";
import type { HealthChecker } from "../health/health-checker.ts";
import { callerOf } from "../middleware/needs.ts";
import type { ServerEnv } from "../server-env.ts";
import { ConsoleFiles } from "./console-files.ts";
import { diagnosisPage } from "./diagnosis-page.ts";
import { pageStyles } from "./page.ts";
import { startPage } from "./start-page.ts";

/** What browsers are shown: the console, or a plain page, or what is wrong while the database is away. */
export function pageRoutes(
  { consoleFolder, mountPath }: Pick<ServerConfig, "consoleFolder" | "mountPath">,
  health: HealthChecker,
): Hono<ServerEnv> {
  const files = consoleFolder === null ? null : new ConsoleFiles(consoleFolder, mountPath);
  const app = new Hono<ServerEnv>();
  // Without asking who it is: the page that says what is wrong needs it too.
  app.get("/page.css", (c) =>
    c.body(pageStyles, 200, { "Content-Type": "text/css; charset=utf-8", "Cache-Control": "no-cache" }),
  );
  app.get("*", async (c, next) => {
    const { path } = c.req;
    if (path.startsWith("/api/")) return await next();
    const file = files?.get(path) ?? null;
    const isPage = path === "/" || path === "/index.html" || isForBrowsers(c.req.header("accept"));
    if (file === null && !isPage) return await next();
    callerOf(c);
    if (file !== null && path !== "/index.html") return c.body(new Uint8Array(file.body), 200, file.headers);
    const { checks } = await health.look();
    const [database] = checks;
    if (database?.ok === false) {
      return c.html(diagnosisPage(database.advice ?? "").replace("%base%", mountPath), 503, {
        "Retry-After": "3",
      });
    }
    const index = files?.index ?? null;
    if (index !== null) return c.body(new Uint8Array(index.body), 200, index.headers);
    return path === "/" ? c.html(startPage(mountPath).replace("%base%", mountPath)) : await next();
  });
  return app;
}

function isForBrowsers(accept: string | undefined): boolean {
  return accept?.includes("text/html") ?? false;
}
