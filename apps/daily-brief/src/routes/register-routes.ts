import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import type { Engine } from "lockstep";
import { z } from "zod";
import type { DailyBriefApp } from "../daily-brief-app.ts";
import { mailAddress, personName } from "../services/asked-values.ts";
import { keepScheduleOf } from "../services/keep-schedules.ts";
import { knownMail, registerMail } from "../services/link-mails.ts";
import { bodyOf } from "./body-of.ts";
import { startSession } from "./session-cookie.ts";

const asked = z.strictObject({ name: personName, email: mailAddress, timeZone: z.string().max(64) });
const linked = z.strictObject({ token: z.string().min(1).max(100) });
const said = "A mail is on its way to this address. Follow the link in it within an hour.";
const notSent = "There is no mail provider, so this mail was not sent. Here it is.";
const tooMany = "There were too many registrations in the last hour. Try again later.";

export interface RegisterParts {
  readonly engine: Engine;
  readonly app: DailyBriefApp;
  readonly log: (line: string) => void;
}

/** Registering by a link in a mail. Nobody learns here whether an address is known: the mail says it. */
export function registerRoutes({ engine, app, log }: RegisterParts): Hono {
  const mailOf = async (body: z.output<typeof asked>, origin: string) => {
    const begun = await app.registrations.begin(body);
    if (begun === null) return null;
    const link = `${origin}/#register=${begun.token}`;
    // What a stranger typed does not stand in a mail to somebody else.
    const mail = begun.known === null ? registerMail(link) : knownMail(begun.known.name, link);
    // To the address that is known, not to one that differs from it in capitals only.
    return { mail: { to: begun.known?.email ?? body.email, ...mail }, link };
  };
  const routes = new Hono();
  routes.post("/", async (context) => {
    const body = await bodyOf(context, asked);
    if (body instanceof Response) return body;
    if (!(await app.timeZones.has(body.timeZone)))
      return context.json({ error: "Choose a time zone from the list.", where: "timeZone" }, 422);
    const { origin } = new URL(context.req.url);
    // Where nobody signs in there is nothing to find out, and without a provider no other way to read the mail.
    if (!app.signsIn && !app.sendsMail) {
      const made = await mailOf(body, origin);
      if (made === null) return context.json({ error: tooMany }, 429);
      const { to, subject, text } = made.mail;
      return context.json({ said: notSent, mail: { to, subject, text, link: made.link } }, 202);
    }
    // Not waited for: the time that it takes would tell whether there is such a person.
    const send = async () => {
      const made = await mailOf(body, origin);
      if (made !== null) await app.email.send({ ...made.mail, trackingId: randomUUID() });
    };
    send().catch((error: unknown) =>
      log(`A link for registering was not mailed: ${error instanceof Error ? error.message : error}`),
    );
    return context.json({ said }, 202);
  });
  // Not by opening the link alone: programs that look through mails open links, too.
  routes.post("/confirm", async (context) => {
    const body = await bodyOf(context, linked);
    const personId = body instanceof Response ? null : await app.registrations.confirm(body.token);
    if (personId === null)
      return context.json({ error: "This link was used already, or is over. Register again." }, 403);
    const person = await app.people.person(personId);
    if (person !== null) await keepScheduleOf(engine, app.pipelines.dailyBriefDue, person);
    if (app.signsIn) startSession(context, await app.signIns.newSession(personId));
    return context.json({ personId });
  });
  return routes;
}
