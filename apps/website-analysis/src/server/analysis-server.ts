import { apiMount, PageFiles, pageServer } from "@lockstep/app-kit";
import { createServer, type Listener } from "@lockstep/server";
import { VisitorCookie } from "../visitors/visitor-cookie.ts";
import { type AnalysisRoutesParts, analysisRoutes } from "./analysis-routes.ts";

const folder = new URL("../../page/", import.meta.url);
const files = {
  ...{ "/": "index.html", "/page.js": "page.ts", "/styles.css": "styles.css", "/icon.svg": "icon.svg" },
};

/** The page and what it asks for, beside the mounted API of Lockstep, which opens to visitors' tokens only. */
export function analysisServer({
  engine,
  app,
  secret,
}: Omit<AnalysisRoutesParts, "cookie"> & { readonly secret: string }): Listener {
  const access = { authorize: () => null };
  const api = createServer({ engine, access, mountPath: apiMount, logger: null });
  const routes = analysisRoutes({ engine, app, cookie: new VisitorCookie(secret) });
  return pageServer({ api, pages: new PageFiles(folder, files), routes });
}
