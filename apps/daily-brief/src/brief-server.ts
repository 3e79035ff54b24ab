import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer, type Listener } from "@lockstep/server";
import type { Engine } from "lockstep";
import { z } from "zod";
import type { DailyBriefApp } from "./daily-brief-app.ts";
import { localDate } from "./services/local-date.ts";
import { queueStatsText } from "./services/queue-stats-text.ts";

const pageFiles: Readonly<Record<string, { file: string; type: string }>> = {
  "/": { file: "index.html", type: "text/html; charset=utf-8" },
  "/page.js": { file: "page.js", type: "text/javascript; charset=utf-8" },
  "/notification-of.js": { file: "notification-of.js", type: "text/javascript; charset=utf-8" },
};
const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
};
const tokenForMs = 3_600_000;
const dayMs = 86_400_000;

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
  const types = Object.values(app.pipelines).map(({ name }) => name);

  const answers: Readonly<Record<string, (url: URL, request: Request) => Promise<Response>>> = {
    "GET /app/people": async () => Response.json(await app.people.people()),
    "GET /app/stats": async () => new Response(`${queueStatsText(await engine.stats(), types)}\n`),
    "GET /app/person": async (url) => {
      const person = await personOf(url);
      if (person === null) return notFound();
      const [briefs, messages, projects] = await Promise.all([
        app.briefs.briefsOf(person.id),
        app.outbox.messagesOf(person.id),
        app.projects.projectsOf(person.id),
      ]);
      return Response.json({ briefs, messages, projects });
    },
    "POST /app/token": async (url) => {
      const person = await personOf(url);
      if (person === null) return notFound();
      return Response.json({ token: engine.ownerToken(person.id, { expiresInMs: tokenForMs }) });
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
      const briefDate = localDate(new Date(), person.timeZone);
      const payload = { personId: owner, briefDate, timezone: person.timeZone };
      const options = { owner, priority: 1, dedupKey: `brief ${briefDate}`, dedup: { forMs: dayMs } };
      return Response.json(await engine.add(app.pipelines.generateDailyBrief, payload, options));
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
      // A page elsewhere must not ask in the name of whoever sits here, by whatever name it calls this machine.
      if (!isHere(request, url)) return new Response("Only from this machine.\n", { status: 403 });
      const page = request.method === "GET" ? pageFiles[url.pathname] : undefined;
      if (page !== undefined) return pageAnswer(page);
      return (await answers[`${request.method} ${url.pathname}`]?.(url, request)) ?? notFound();
    },
  };
}

/** Signs the page's tokens when nobody gave a secret: those of before a restart are over then. */
export function newTokenSecret(): string {
  return randomBytes(32).toString("base64url");
}

async function pageAnswer({ file, type }: { file: string; type: string }): Promise<Response> {
  const text = await readFile(new URL(`../page/${file}`, import.meta.url), "utf8");
  return new Response(text, { headers: { ...pageHeaders, "content-type": type } });
}

function isHere(request: Request, url: URL): boolean {
  const origin = request.headers.get("origin");
  const isLocalName = ["127.0.0.1", "localhost", "[::1]"].includes(url.hostname);
  return isLocalName && (origin === null || origin === url.origin);
}

function notFound(): Response {
  return Response.json({ error: "There is nothing here." }, { status: 404 });
}
