import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { z } from "zod";
import { signInMail } from "../services/link-mails.ts";
import type { EmailSender } from "../services/message-senders.ts";
import type { SignInStore } from "../store/sign-in-store.ts";
import { bodyOf } from "./body-of.ts";
import { forgetSession, sessionOf, startSession } from "./session-cookie.ts";

const asked = z.strictObject({ email: z.string().min(3).max(254) }, "A mail address is needed.");
const linked = z.strictObject({ token: z.string().min(1).max(100) });

export interface SignInParts {
  readonly store: SignInStore;
  readonly email: EmailSender;
  readonly log: (line: string) => void;
  /** Their streams are to look whether they are still open. */
  readonly onLeft: (personId: string) => void;
}

/** Signing in by a link in a mail. Nobody learns here whether an address is known. */
export function signInRoutes({ store, email, log, onLeft }: SignInParts): Hono {
  const mailLink = async (address: string, origin: string) => {
    const link = await store.newLink(address);
    if (link === null) return;
    const mail = signInMail(link.name, `${origin}/#sign-in=${link.token}`);
    await email.send({ to: link.to, ...mail, trackingId: randomUUID() });
  };
  const routes = new Hono();
  routes.post("/", async (context) => {
    const body = await bodyOf(context, asked);
    if (body instanceof Response) return body;
    // Not waited for: the time that it takes would tell whether there is such a person.
    mailLink(body.email, new URL(context.req.url).origin).catch((error: unknown) =>
      log(`A link for signing in was not mailed: ${error instanceof Error ? error.message : error}`),
    );
    return context.json({ said: "If somebody has this address, a link is on its way to it." }, 202);
  });
  // Not by opening the link alone: programs that look through mails open links, too.
  routes.post("/confirm", async (context) => {
    const body = await bodyOf(context, linked);
    const session = body instanceof Response ? null : await store.openSession(body.token);
    if (session === null)
      return context.json({ error: "This link was used already, or is over. Ask for a new one." }, 403);
    startSession(context, session);
    return context.body(null, 204);
  });
  routes.post("/end", async (context) => {
    const personId = await store.endSession(sessionOf(context));
    if (personId !== null) onLeft(personId);
    forgetSession(context);
    return context.body(null, 204);
  });
  return routes;
}
