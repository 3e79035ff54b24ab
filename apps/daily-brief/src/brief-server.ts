import { randomBytes } from "node:crypto";
import { isFromThisMachine } from "@lockstep/app-kit";
import { createServer, type Listener } from "@lockstep/server";
import type { Engine } from "lockstep";
import { z } from "zod";
import type { DailyBriefApp } from "./daily-brief-app.ts";
import { PageFiles } from "./page-files.ts";
import { briefJob } from "./services/brief-job.ts";
import { localDate } from "./services/local-date.ts";
import { queueStatsText } from "./services/queue-stats-text.ts";

const tokenForMs = 3_600_000;
const ended: readonly string[] = ["failed", "cancelled"];

const askedJob = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("generate_daily_brief") }),
  z.strictObject({ type: z.literal("generate_phases"), projectId: z.string().max(80) }),
]);

/**
 * The page and what it asks for, beside the mounted API of Lockstep. Whoever sits at this machine may be anybody here,
 * so it listens on loopback only; behind a login of your own, the token is made for the person who is logged in.
 */
export function briefServer({ engine, app }: { engine: Engine; app: DailyBriefApp }): Listener {
  // Nobody but with the token of a person, which opens that person's jobs and no others.
  const access = { authorize: () => null };
  const api = createServer({ engine, access, mountPath: "/lockstep", logger: null });
  const pages = new PageFiles();
  const types = Object.values(app.pipelines).map(({ name }) => name);

  const answers: Readonly<Record<string, (url: URL, request: Request) => Promise<Response>>> = {
    "GET /app/people": async () =>
      Response.json((await app.people.people()).map(({ id, name }) => ({ id, name }))),
    "GET /app/stats": async () => new Response(`${queueStatsText(await engine.stats(), types)}\n`),
    "GET /app/person": async (url) => {
      const person = await personOf(url);
      if (person === null) return notFound();
      const [briefs, messages, projects] = await Promise.all([
        app.briefs.briefsOf(person.id),
        app.outbox.messagesOf(person.id),
        app.projects.projectsOf(person.id),
      ]);
      const { timeZone, briefAt } = person;
      const today = localDate(new Date(), timeZone);
      return Response.json({ timeZone, briefAt, today, briefs, messages, projects });
    },
    "POST /app/token": async (url) => {
      const person = await personOf(url);
      if (person === null) return notFound();
      const token = engine.ownerToken(person.id, { expiresInMs: tokenForMs });
      return Response.json({ token, now: new Date().toISOString() });
    },
    "POST /app/jobs": async (url, request) => {
      const person = await personOf(url);
      if (person === null) return notFound();
      const asked = askedJob.safeParse(await request.json().catch(() => null));
      if (!asked.success) return Response.json({ error: z.prettifyError(asked.error) }, { status: 422 });
      const owner = person.id;
      if (asked.data.type === "generate_phases") {
        const { projectId } = asked.data;
        const isTheirs = (await app.projects.projectsOf(owner)).some(({ id }) => id === projectId);
        if (!isTheirs) return notFound();
        return Response.json(
          await engine.add(app.pipelines.generatePhases, { projectId }, { owner, priority: 8 }),
        );
      }
      const { payload, options } = briefJob(person, new Date());
      const added = await engine.add(app.pipelines.generateDailyBrief, payload, { ...options, priority: 1 });
      // That of today has come to nothing: who asks again wants it tried again.
      const isRetried = !added.created && ended.includes(added.status ?? "");
      if (isRetried) await engine.retry(added.id);
      return Response.json({ ...added, isRetried });
    },
  };

  const personOf = (url: URL) => app.people.person(url.searchParams.get("person") ?? "");

  return {
    isForLoopbackOnly: true,
    mountPath: "",
    stop: () => api.stop(),
    fetch: async (request, peer) => {
      const url = new URL(request.url);
      if (url.pathname === "/lockstep" || url.pathname.startsWith("/lockstep/"))
        return api.fetch(request, peer);
      if (!isFromThisMachine(request)) return new Response("Only from this machine.\n", { status: 403 });
      const page = request.method === "GET" ? await pages.answer(url.pathname) : null;
      return page ?? (await answers[`${request.method} ${url.pathname}`]?.(url, request)) ?? notFound();
    },
  };
}

/** Signs the page's tokens when nobody gave a secret: those of before a restart are over then. */
export function newTokenSecret(): string {
  return randomBytes(32).toString("base64url");
}

function notFound(): Response {
  return Response.json({ error: "There is nothing here." }, { status: 404 });
}
