import { randomBytes } from "node:crypto";
import { apiMount, PageFiles, pageServer } from "@lockstep/app-kit";
import { createServer, type Listener } from "@lockstep/server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Engine } from "lockstep";
import { z } from "zod";
import type { DailyBriefApp } from "./daily-brief-app.ts";
import { notificationStream } from "./notification-stream.ts";
import { bodyOf } from "./routes/body-of.ts";
import { jobRoutes } from "./routes/job-routes.ts";
import type { PersonEnv } from "./routes/person-env.ts";
import { phoneRoutes } from "./routes/phone-routes.ts";
import { registerRoutes } from "./routes/register-routes.ts";
import { sessionOf } from "./routes/session-cookie.ts";
import { settingsRoutes } from "./routes/settings-routes.ts";
import { signInRoutes } from "./routes/sign-in-routes.ts";
import { taskRoutes } from "./routes/task-routes.ts";
import { jobTroubles } from "./services/job-troubles.ts";
import { localDate } from "./services/local-date.ts";
import { NotificationKeeper } from "./services/notification-keeper.ts";
import { queueStatsText } from "./services/queue-stats-text.ts";

const tokenForMs = 900_000;
const bodyBytes = 64 * 1_024;
const folder = new URL("../page/", import.meta.url);
const files = {
  "/": "index.html",
  "/styles.css": "styles.css",
  "/icon.svg": "icon.svg",
  "/page.js": "page.ts",
};

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
  const onLeft = (personId: string) => keeper.wake(personId);
  /** As whom the browser acts; null: as nobody. */
  const personOf = async (context: Context) => {
    const named = context.req.query("person");
    const id = app.signsIn ? await app.signIns.personIdOf(sessionOf(context)) : (named ?? "");
    if (id === null) return null;
    // Who is signed in and names somebody else gets nothing.
    return { person: id === (named ?? id) ? await app.people.person(id) : null };
  };

  const routes = new Hono<PersonEnv>();
  routes.on(
    ["POST", "PUT"],
    "*",
    bodyLimit({
      maxSize: bodyBytes,
      onError: (context) => context.json({ error: "This is more than can be sent at once." }, 413),
    }),
  );
  // As whom the browser may act.
  routes.get("/people", async (context) => {
    const people = app.signsIn
      ? [await app.people.person((await app.signIns.personIdOf(sessionOf(context))) ?? "")]
      : await app.people.people();
    const shown = people.flatMap((one) =>
      one === null ? [] : [{ id: one.id, name: one.name, timeZone: one.timeZone }],
    );
    const { signsIn, registers, sendsSms } = app;
    return context.json({ signsIn, registers, sendsSms, people: shown });
  });
  routes.get("/time-zones", async (context) => context.json(await app.timeZones.names()));
  if (app.registers) routes.route("/register", registerRoutes({ engine, app, log }));
  if (app.signsIn)
    routes.route("/sign-in", signInRoutes({ store: app.signIns, email: app.email, log, onLeft }));
  else
    routes.get("/stats", async (context) => context.text(`${queueStatsText(await engine.stats(), types)}\n`));
  // What follows is about one person.
  routes.use(async (context, next) => {
    const found = await personOf(context);
    if (found === null) return context.json({ error: "Sign in first." }, 401);
    if (found.person === null) return context.notFound();
    context.set("person", found.person);
    return next();
  });
  routes.get("/person", async (context) => {
    const { person } = context.var;
    const [briefs, messages, projects, finished, troubles, phoneWaiting] = await Promise.all([
      app.briefs.briefsOf(person.id),
      app.outbox.messagesOf(person.id),
      app.projects.projectsOf(person.id),
      app.tasks.finishedOf(person.id),
      jobTroubles(engine, person.id),
      app.phones.waiting(person.id),
    ]);
    const today = localDate(new Date(), person.timeZone);
    const theirs = { briefs, messages, projects, finished, troubles };
    return context.json({ ...person, phoneWaiting, today, ...theirs });
  });
  routes.post("/token", (context) => {
    const token = engine.ownerToken(context.var.person.id, { expiresInMs: tokenForMs });
    return context.json({ token });
  });
  routes.get("/notifications", (context) => {
    const lastId = Number(context.req.header("last-event-id") ?? Number.NaN);
    return notificationStream({
      ...{ store: app.notifications, keeper, personId: context.var.person.id },
      lastId: Number.isSafeInteger(lastId) ? lastId : null,
      isStillOpen: async () => (await personOf(context))?.person != null,
    });
  });
  routes.post("/notifications/read", async (context) => {
    const read = await bodyOf(context, readUpTo);
    if (read instanceof Response) return read;
    await app.notifications.markRead(context.var.person.id, read.upTo);
    return context.body(null, 204);
  });
  routes.route("/jobs", jobRoutes({ engine, app }));
  routes.route("/phone", phoneRoutes({ engine, app }));
  routes.route("/", settingsRoutes({ engine, app, onLeft }));
  routes.route("/", taskRoutes(app));

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
