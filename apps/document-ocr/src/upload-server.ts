import { isFromThisMachine } from "@lockstep/app-kit";
import { createServer, type Listener } from "@lockstep/server";
import { type Engine, InvalidJobIdError } from "lockstep";
import type { DocumentOcrApp } from "./document-ocr-app.ts";
import { documentView } from "./services/document-view.ts";
import { pageAnswer } from "./services/page-files.ts";
import { resultAnswer } from "./services/result-answer.ts";
import { takeUpload } from "./services/take-upload.ts";

const shown = 50;

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
    mountPath: "/lockstep",
    consoleFolder,
    logger: null,
  });

  const answerTo = async (request: Request, url: URL): Promise<Response | null> => {
    const [, first, second, third] = url.pathname.slice(1).split("/");
    if (first !== "documents") return null;
    if (request.method === "POST" && second === undefined) {
      return takeUpload(request, { engine, app, tempFolder, name: url.searchParams.get("name") ?? "" });
    }
    if (request.method !== "GET") return null;
    if (second === undefined) {
      const jobs = await engine.list({ pipeline: app.pipeline.name, limit: shown });
      return Response.json({ ids: jobs.map(({ id }) => id) });
    }
    const job = await engine.get(second).catch((error: unknown) => {
      if (error instanceof InvalidJobIdError) return null;
      throw error;
    });
    if (job === null || job.pipeline !== app.pipeline.name) return null;
    return third === undefined ? Response.json(documentView(job)) : resultAnswer(job, third, app.files);
  };

  return {
    isForLoopbackOnly: true,
    mountPath: "",
    stop: () => api.stop(),
    fetch: async (request, peer) => {
      const url = new URL(request.url);
      if (url.pathname === "/lockstep" || url.pathname.startsWith("/lockstep/"))
        return api.fetch(request, peer);
      if (!isFromThisMachine(request)) return new Response("Only from this machine.\n", { status: 403 });
      const answer = url.pathname.startsWith("/app/")
        ? await answerTo(request, url)
        : await pageAnswer(request, url);
      return answer ?? Response.json({ error: "There is nothing here." }, { status: 404 });
    },
  };
}
