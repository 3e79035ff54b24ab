import { apiMount, PageFiles, pageServer } from "@lockstep/app-kit";
import { createServer, type Listener } from "@lockstep/server";
import { type DocumentRoutesParts, documentRoutes } from "./document-routes.ts";

const folder = new URL("../page/", import.meta.url);
const files = {
  "/": "index.html",
  "/page.js": "page.js",
  "/preview.js": "preview.js",
  "/elements.js": "elements.js",
  "/icon.svg": "icon.svg",
  "/page.css": "page.css",
};

/**
 * The upload page and what it asks for, beside the console and the API of Lockstep. Whoever sits at this machine may do
 * everything here, so it listens on loopback only.
 */
export function uploadServer({
  engine,
  app,
  consoleFolder,
  tempFolder,
}: {
  readonly consoleFolder: string | null;
} & DocumentRoutesParts): Listener {
  const api = createServer({
    engine,
    access: "loopback",
    mountPath: apiMount,
    consoleFolder,
    logger: null,
  });

  const routes = documentRoutes({ engine, app, tempFolder });
  return pageServer({ api, pages: new PageFiles(folder, files), routes });
}
