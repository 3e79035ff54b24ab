import { Hono } from "hono";
import { type Engine, InvalidJobIdError, type Job } from "lockstep";
import type { DocumentOcrApp } from "./document-ocr-app.ts";
import type { DocumentOcrPayload } from "./document-ocr-payload.ts";
import { parseSource } from "./services/document-source.ts";
import { documentView } from "./services/document-view.ts";
import { PagePictures } from "./services/page-pictures.ts";
import { resultAnswer } from "./services/result-answer.ts";
import { resultsZip } from "./services/results-zip.ts";
import { takeUpload } from "./services/take-upload.ts";
import { unlockDocument } from "./services/unlock-document.ts";
import type { OcrResult } from "./stages/boost-stage.ts";
import type { ExtractedDocument } from "./stages/extraction-stage.ts";
import type { ReadDocument } from "./stages/ocr-stage.ts";

const shown = 50;
const live = ["scheduled", "pending", "processing", "retrying"];
const mostPasswordBytes = 1_024;

export interface DocumentRoutesParts {
  readonly engine: Engine;
  readonly app: Pick<DocumentOcrApp, "files" | "pages" | "deleted" | "reading" | "pipeline">;
  readonly tempFolder: string;
}

/** What the page asks for. */
export function documentRoutes({ engine, app, tempFolder }: DocumentRoutesParts): Hono {
  const pictures = new PagePictures(app.files, tempFolder);
  const routes = new Hono();

  const shownIds = async () => {
    const jobs = await engine.list({ pipeline: app.pipeline.name, limit: shown });
    return app.deleted.without(jobs.map(({ id }) => id));
  };
  const jobOf = async (id: string): Promise<Job | null> => {
    const job = await engine.get(id).catch((error: unknown) => {
      if (error instanceof InvalidJobIdError) return null;
      throw error;
    });
    if (job?.pipeline !== app.pipeline.name) return null;
    return (await app.deleted.without([id])).length === 1 ? job : null;
  };
  /** Where the pages of a job are; null before it is known which document it is. */
  const pagesKey = ({ outputs, payload }: Job) => {
    const document = outputs.extraction as ExtractedDocument | undefined;
    if (document === undefined) return null;
    const { language = null } = payload as DocumentOcrPayload;
    const read = outputs.ocr as ReadDocument | undefined;
    return { sha256: document.sha256, reading: read?.reading ?? app.reading.keyFor(language) };
  };

  routes.post("/documents", (context) => {
    const { name = "", language = "" } = context.req.query();
    return takeUpload(context.req.raw, { engine, app, tempFolder, name, language });
  });
  routes.get("/documents", async (context) => context.json({ ids: await shownIds() }));
  routes.get("/documents/results.zip", async () => {
    const jobs = await Promise.all((await shownIds()).map((id) => engine.get(id)));
    return resultsZip(
      jobs.filter((job) => job !== null),
      app.files,
    );
  });
  routes.get("/documents/:id", async (context) => {
    const job = await jobOf(context.req.param("id"));
    if (job === null) return context.notFound();
    const key = pagesKey(job);
    return context.json(documentView(job, key === null ? [] : await app.pages.summaries(key)));
  });
  routes.get("/documents/:id/pages/:page", async (context) => {
    const job = await jobOf(context.req.param("id"));
    const key = job && pagesKey(job);
    const page = key && (await app.pages.page(key, pageNumber(context.req.param("page"))));
    return page ? context.json(page) : context.notFound();
  });
  routes.get("/documents/:id/pages/:page/picture", async (context) => {
    const job = await jobOf(context.req.param("id"));
    const document = job?.outputs.extraction as ExtractedDocument | undefined;
    const page = pageNumber(context.req.param("page"));
    if (document === undefined || page < 1 || page > document.pages) return context.notFound();
    const picture = await pictures.draw(document.sha256, page, context.req.raw.signal);
    return new Response(new Uint8Array(picture), {
      headers: {
        "content-type": "image/png",
        // A page never changes.
        "cache-control": "private, max-age=86400, immutable",
        "x-content-type-options": "nosniff",
      },
    });
  });
  routes.get("/documents/:id/:kind", async (context) => {
    const { id, kind } = context.req.param();
    const job = await jobOf(id);
    return (job && resultAnswer(job, kind, app.files)) ?? context.notFound();
  });
  routes.post("/documents/:id/retry", async (context) => {
    const job = await jobOf(context.req.param("id"));
    if (job === null) return context.notFound();
    const { answer } = await engine.retry(job.id);
    return context.json({ answer }, answer === "applied" ? 200 : 409);
  });
  routes.post("/documents/:id/password", async (context) => {
    const job = await jobOf(context.req.param("id"));
    if (job === null) return context.notFound();
    const password = (await context.req.text()).slice(0, mostPasswordBytes);
    const { signal } = context.req.raw;
    const unlocked = await unlockDocument(job, password, { engine, app, tempFolder, signal });
    if ("error" in unlocked) return context.json(unlocked, 422);
    await deleteDocument(job);
    return context.json(unlocked, 201);
  });
  routes.delete("/documents/:id", async (context) => {
    const job = await jobOf(context.req.param("id"));
    if (job === null) return context.notFound();
    await deleteDocument(job);
    return context.body(null, 204);
  });

  const deleteDocument = async (job: Job) => {
    if (live.includes(job.status)) await engine.cancel(job.id);
    const document = job.outputs.extraction as ExtractedDocument | undefined;
    // What failed at extraction is only where it was uploaded to.
    const source = parseSource((job.payload as DocumentOcrPayload).source);
    const upload = source?.kind === "upload" ? source : undefined;
    const results = Object.values((job.result as OcrResult | null)?.files ?? {});
    const stored = [document, upload, ...results].flatMap((file) =>
      file === undefined ? [] : [file.sha256],
    );
    await app.deleted.add(job.id, stored);
  };
  return routes;
}

/** 0 for what is no number. */
function pageNumber(text: string): number {
  return /^\d{1,5}$/.test(text) ? Number(text) : 0;
}
