import { Hono } from "hono";
import { type Engine, InvalidJobIdError, InvalidPayloadError, type Job, RefusedError } from "lockstep";
import { z } from "zod";
import { compareReports } from "../report/compare-reports.ts";
import { TooManyError } from "../store/visitor-store.ts";
import type { VisitorCookie } from "../visitors/visitor-cookie.ts";
import type { WebsiteAnalysisApp } from "../website-analysis-app.ts";
import { websiteAnalysisPayload } from "../website-analysis-payload.ts";
import { analysisJob, analysisView } from "./analysis-view.ts";
import { askedQuestions, questionProgress } from "./question-progress.ts";
import { questionWords } from "./question-words.ts";
import { reportFile } from "./report-file.ts";
import { stagePools } from "./stage-pools.ts";
import { visitorBudgets } from "./visitor-budget.ts";

const tokenForMs = 3_600_000;
const shown = 50;
const notAnAddress = "This is not the address of a page. Enter a whole address, such as https://example.com.";
const hasCredentials =
  "Leave the user name and the password out of the address: addresses are kept, and reports can be shared.";
const ended: readonly string[] = ["completed", "failed", "cancelled"];

export interface AnalysisRoutesParts {
  readonly engine: Engine;
  readonly app: Pick<WebsiteAnalysisApp, "pipeline" | "visitors" | "shares">;
  readonly cookie: VisitorCookie;
}

/** What the page asks for. Everything is a visitor's own, but for a report whose link one was given. */
export function analysisRoutes({ engine, app, cookie }: AnalysisRoutesParts) {
  const { pipeline, visitors, shares } = app;
  const routes = new Hono<{ Variables: { visitor: string } }>();

  const jobOf = async (id: string, visitor: string): Promise<Job | null> => {
    const job = await engine.get(id).catch((error: unknown) => {
      if (error instanceof InvalidJobIdError) return null;
      throw error;
    });
    return job?.pipeline === pipeline.name && job.owner === visitor ? job : null;
  };
  const viewOf = async (job: Job) => {
    const questions = await questionProgress(engine, job);
    const isInNoQueue = questions !== null || ended.includes(job.status);
    const reasons = isInNoQueue ? [] : await engine.explain(job.id).catch(() => []);
    return analysisView(job, reasons, questions);
  };
  const sharedJob = async (token: string) => {
    const shared = await shares.analysisOf(token);
    return shared === null ? null : jobOf(shared.analysisId, shared.visitor);
  };

  // Before the visitor is asked for: who only follows a link is nobody here, and gets no cookie.
  routes.get("/shared/:token", async (context) => {
    const job = await sharedJob(context.req.param("token"));
    return job === null ? context.notFound() : context.json(await viewOf(job));
  });
  routes.get("/shared/:token/:file", async (context) => {
    const job = await sharedJob(context.req.param("token"));
    return (job && reportFile(job, context.req.param("file"))) ?? context.notFound();
  });

  routes.use(async (context, next) => {
    const { visitor, setCookie } = cookie.visitorOf(context.req.raw);
    context.set("visitor", visitor);
    await next();
    if (setCookie !== null) context.res.headers.append("set-cookie", setCookie);
    context.res.headers.set("cache-control", "no-store");
  });

  routes.post("/analysis-jobs", async (context) => {
    const asked = websiteAnalysisPayload.safeParse(await context.req.json().catch(() => null));
    if (!asked.success) return context.json({ error: sentenceOf(asked.error) }, 422);
    const { visitor } = context.var;
    const { url } = asked.data;
    const live = async () =>
      (await engine.list({ pipeline: pipeline.name, owner: visitor, limit: 100 })).filter(
        ({ status }) => !ended.includes(status),
      ).length;
    try {
      const options = { owner: visitor, groupKey: new URL(url).host };
      const id = await visitors.take({ visitor, url }, live, async (tx) => {
        return (await engine.add(pipeline, asked.data, { ...options, tx })).id;
      });
      const job = await jobOf(id, visitor);
      return job === null ? context.notFound() : context.json(await viewOf(job), 201);
    } catch (error) {
      if (error instanceof TooManyError) return context.json({ error: error.message }, 429);
      // Characters that can be in a text and not in PostgreSQL.
      if (error instanceof InvalidPayloadError) return context.json({ error: notAnAddress }, 422);
      if (!(error instanceof RefusedError) || error.code !== "LS005") throw error;
      return context.json({ error: "Too many analyses are waiting. Try again in a few minutes." }, 503);
    }
  });
  routes.get("/analysis-jobs", async (context) => {
    const { visitor } = context.var;
    const jobs = await engine.list({ pipeline: pipeline.name, owner: visitor, limit: shown });
    const urls = await visitors.urlsOf(
      visitor,
      jobs.map(({ id }) => id),
    );
    const { keepCompletedDays } = engine.retention;
    return context.json({
      jobs: jobs.map((job) => analysisJob(job, urls.get(job.id) ?? "")),
      keepCompletedDays,
    });
  });
  routes.get("/analysis-jobs/:id", async (context) => {
    const { visitor } = context.var;
    const job = await jobOf(context.req.param("id"), visitor);
    if (job === null) return context.notFound();
    return context.json({ ...(await viewOf(job)), share: await shares.tokenOf(job.id, visitor) });
  });
  routes.get("/analysis-jobs/:id/words", async (context) => {
    const job = await jobOf(context.req.param("id"), context.var.visitor);
    if (job === null) return context.notFound();
    const questions = await askedQuestions(engine, job);
    // Nothing is asked yet: a browser that gets no content does not come back by itself.
    return questions.length === 0 ? context.body(null, 204) : questionWords(engine, questions);
  });
  routes.post("/analysis-jobs/:id/share", async (context) => {
    const { visitor } = context.var;
    const job = await jobOf(context.req.param("id"), visitor);
    if (job === null) return context.notFound();
    if (job.status !== "completed")
      return context.json({ error: "Only a finished report can be shared." }, 409);
    return context.json({ share: await shares.share(job.id, visitor) });
  });
  routes.delete("/analysis-jobs/:id/share", async (context) => {
    const job = await jobOf(context.req.param("id"), context.var.visitor);
    if (job === null) return context.notFound();
    await shares.takeBack(job.id, context.var.visitor);
    return context.json({ share: null });
  });
  routes.get("/analysis-jobs/:id/:file", async (context) => {
    const job = await jobOf(context.req.param("id"), context.var.visitor);
    return (job && reportFile(job, context.req.param("file"))) ?? context.notFound();
  });
  routes.get("/comparisons/:before/:after", async (context) => {
    const { before, after } = context.req.param();
    const jobs = await Promise.all([before, after].map((id) => jobOf(id, context.var.visitor)));
    const [one, other] = await Promise.all(jobs.map((job) => (job === null ? null : viewOf(job))));
    if (!one || !other) return context.notFound();
    if (one.report === null || other.report === null)
      return context.json({ error: "Only finished reports can be compared." }, 409);
    return context.json({ before: one, after: other, comparison: compareReports(one.report, other.report) });
  });
  routes.get("/pools", async (context) => context.json(await stagePools(engine, pipeline)));
  routes.get("/budgets", async (context) =>
    context.json(await visitorBudgets(engine, pipeline, context.var.visitor)),
  );
  routes.post("/token", (context) =>
    context.json({ token: engine.ownerToken(context.var.visitor, { expiresInMs: tokenForMs }) }),
  );
  return routes;
}

function sentenceOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const isUrl = issue?.path[0] === "url";
  if (isUrl && "format" in issue && issue.format === "regex") return hasCredentials;
  if (isUrl) return notAnAddress;
  return z.prettifyError(error);
}
