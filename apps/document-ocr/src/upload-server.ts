import { apiMount, PageFiles, pageServer } from "@lockstep/app-kit";
import { createServer, type Listener } from "@lockstep/server";
import { Hono } from "hono";
import { type Engine, InvalidJobIdError } from "lockstep";
import type { DocumentOcrApp } from "./document-ocr-app.ts";
import { documentView } from "./services/document-view.ts";
import { resultAnswer } from "./services/result-answer.ts";
import { takeUpload } from "./services/take-upload.ts";

const shown = 50;
const folder = new URL("../page/", import.meta.url);
const files = { "/": "index.html", "/page.js": "page.js", "/icon.svg": "icon.svg", "/page.css": "page.css" };

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
  engine: Engine;
  app: Pick<DocumentOcrApp, "files" | "pipeline">;
  consoleFolder: string | null;
  tempFolder: string;
}): Listener {
  const api = createServer({
    engine,
    access: "loopback",
    mountPath: apiMount,
    consoleFolder,
    logger: null,
  });

  const routes = new Hono();
  routes.post("/documents", (context) =>
    takeUpload(context.req.raw, { engine, app, tempFolder, name: context.req.query("name") ?? "" }),
  );
  routes.get("/documents", async (context) => {
    const jobs = await engine.list({ pipeline: app.pipeline.name, limit: shown });
    return context.json({ ids: jobs.map(({ id }) => id) });
  });
  routes.get("/documents/:id", async (context) => {
    const job = await jobOf(context.req.param("id"));
    return job === null ? context.notFound() : context.json(documentView(job));
  });
  routes.get("/documents/:id/:kind", async (context) => {
    const { id, kind } = context.req.param();
    const job = await jobOf(id);
    return (job && resultAnswer(job, kind, app.files)) ?? context.notFound();
  });
  const jobOf = async (id: string) => {
    const job = await engine.get(id).catch((error: unknown) => {
      if (error instanceof InvalidJobIdError) return null;
      throw error;
    });
    return job?.pipeline === app.pipeline.name ? job : null;
  };

  return pageServer({ api, pages: new PageFiles(folder, files), routes });
}
