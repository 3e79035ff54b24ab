import { randomBytes } from "node:crypto";
import { apiMount, PageFiles, pageServer } from "@lockstep/app-kit";
import { createServer, type Listener } from "@lockstep/server";
import { Hono } from "hono";
import type { Engine, JobId } from "lockstep";
import { z } from "zod";
import type { DailyBriefApp } from "./daily-brief-app.ts";
import { notificationStream } from "./notification-stream.ts";
import { briefJob } from "./services/brief-job.ts";
import { jobTroubles } from "./services/job-troubles.ts";
import { localDate } from "./services/local-date.ts";
import { NotificationKeeper } from "./services/notification-keeper.ts";
import { queueStatsText } from "./services/queue-stats-text.ts";
import { signedIn, signInRoutes } from "./sign-in.ts";
import type { Person } from "./store/people-store.ts";

const tokenForMs = 3_600_000;
const folder = new URL("../page/", import.meta.url);
const files = {
  "/": "index.html",
  "/styles.css": "styles.css",
  "/icon.svg": "icon.svg",
  "/page.js": "page.ts",
};
const ended: readonly string[] = ["failed", "cancelled"];

const askedJob = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("generate_daily_brief") }),
  z.strictObject({ type: z.literal("generate_phases"), projectId: z.string().max(80) }),
]);

const readUpTo = z.strictObject({ upTo: z.int().min(0) });

export interface BriefServerParts {
  readonly engine: Engine;
  readonly app: DailyBriefApp;
  readonly log?: (line: string) => void;
}

/**
 * The page and what it asks for, beside the mounted API of Lockstep. It listens on loopback only. Unless people
 * sign in, whoever sits at this machine may be anybody here.
 */
export function briefServer({ engine, app, log = () => {} }: BriefServerParts): Listener {
  // Only with a person's token, which opens that person's jobs and no others.
  const access = { authorize: () => null };
  const api = createServer({ engine, access, mountPath: apiMount, logger: null });
  const keeper = new NotificationKeeper(engine, app.notifications);
  const types = Object.values(app.pipelines).map(({ name }) => name);

  const routes = new Hono<{ Variables: { person: Person } }>();
  // As whom the browser may act.
  routes.get("/people", async (context) => {
    const people = app.signsIn
      ? [await app.people.person((await signedIn(context, app.signIns)) ?? "")]
      : await app.people.people();
    const shown = people.flatMap((one) =>
      one === null ? [] : [{ id: one.id, name: one.name, timeZone: one.timeZone }],
    );
    return context.json({ signsIn: app.signsIn, people: shown });
  });
  if (app.signsIn) routes.route("/sign-in", signInRoutes({ store: app.signIns, email: app.email, log }));
  else
    routes.get("/stats", async (context) => context.text(`${queueStatsText(await engine.stats(), types)}\n`));
  // What follows is about one person.
  routes.use(async (context, next) => {
    const named = context.req.query("person");
    const id = app.signsIn ? await signedIn(context, app.signIns) : (named ?? "");
    if (id === null) return context.json({ error: "Sign in first." }, 401);
    // Who is signed in and names somebody else gets nothing.
    const person = id === (named ?? id) ? await app.people.person(id) : null;
    if (person === null) return context.notFound();
    context.set("person", person);
    return next();
  });
  routes.get("/person", async (context) => {
    const { id, timeZone, briefAt } = context.var.person;
    const [briefs, messages, projects, troubles] = await Promise.all([
      app.briefs.briefsOf(id),
      app.outbox.messagesOf(id),
      app.projects.projectsOf(id),
      jobTroubles(engine, id),
    ]);
    const today = localDate(new Date(), timeZone);
    return context.json({ timeZone, briefAt, today, briefs, messages, projects, troubles });
  });
  routes.post("/token", (context) => {
    const token = engine.ownerToken(context.var.person.id, { expiresInMs: tokenForMs });
    return context.json({ token });
  });
  routes.get("/notifications", (context) => {
    const lastId = Number(context.req.header("last-event-id") ?? Number.NaN);
    const from = { personId: context.var.person.id, lastId: Number.isSafeInteger(lastId) ? lastId : null };
    return notificationStream({ store: app.notifications, keeper, ...from });
  });
  routes.post("/notifications/read", async (context) => {
    const read = readUpTo.safeParse(await context.req.json().catch(() => null));
    if (!read.success) return context.json({ error: z.prettifyError(read.error) }, 422);
    await app.notifications.markRead(context.var.person.id, read.data.upTo);
    return context.body(null, 204);
  });
  routes.post("/jobs", async (context) => {
    const { person } = context.var;
    const asked = askedJob.safeParse(await context.req.json().catch(() => null));
    if (!asked.success) return context.json({ error: z.prettifyError(asked.error) }, 422);
    const owner = person.id;
    if (asked.data.type === "generate_phases") {
      const { projectId } = asked.data;
      const isTheirs = (await app.projects.projectsOf(owner)).some(({ id }) => id === projectId);
      if (!isTheirs) return context.notFound();
      return context.json(
        await engine.add(app.pipelines.generatePhases, { projectId }, { owner, priority: 8 }),
      );
    }
    const { payload, options } = briefJob(person, new Date());
    const added = await engine.add(app.pipelines.generateDailyBrief, payload, { ...options, priority: 1 });
    // Today's brief failed: a person who asks again wants another try.
    const isRetried = !added.created && ended.includes(added.status ?? "");
    if (isRetried) await engine.retry(added.id);
    return context.json({ ...added, isRetried });
  });

  routes.post("/jobs/:id/retry", async (context) => {
    const id = context.req.param("id");
    const job = z.uuid().safeParse(id).success ? await engine.get(id as JobId) : null;
    // Somebody else's job is as unknown as one that does not exist.
    if (job === null || job.owner !== context.var.person.id) return context.notFound();
    const { answer } = await engine.retry(job.id);
    if (answer === "applied") return context.body(null, 204);
    return context.json({ error: "Only a job that has failed or was cancelled can be tried again." }, 409);
  });

  keeper.start();
  const server = pageServer({ api, pages: new PageFiles(folder, files), routes });
  const stop = async () => {
    await keeper.stop();
    await server.stop();
  };
  return { ...server, stop };
}

/** Signs the page's tokens if no secret is set; tokens from before a restart are then invalid. */
export function newTokenSecret(): string {
  return randomBytes(32).toString("base64url");
}
