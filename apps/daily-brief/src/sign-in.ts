import { randomUUID } from "node:crypto";
import { type Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { z } from "zod";
import type { EmailSender } from "./services/message-senders.ts";
import { signInMail } from "./services/sign-in-mail.ts";
import type { SignInStore } from "./store/sign-in-store.ts";

const cookie = "daily-brief-session";
const sessionSeconds = 30 * 86_400;
const asked = z.strictObject({ email: z.string().min(3).max(254) });
const linked = z.strictObject({ token: z.string().min(1).max(100) });

export interface SignInParts {
  readonly store: SignInStore;
  readonly email: EmailSender;
  readonly log: (line: string) => void;
}

/** Signing in by a link in a mail. Nobody learns here whether an address is known. */
export function signInRoutes({ store, email, log }: SignInParts): Hono {
  const mailLink = async (address: string, origin: string) => {
    const link = await store.newLink(address);
    if (link === null) return;
    const mail = signInMail(link.name, `${origin}/#sign-in=${link.token}`);
    await email.send({ to: link.to, ...mail, trackingId: randomUUID() });
  };
  const routes = new Hono();
  routes.post("/", async (context) => {
    const body = asked.safeParse(await context.req.json().catch(() => null));
    if (!body.success) return context.json({ error: "A mail address is needed." }, 422);
    // Not waited for: the time that it takes would tell whether there is such a person.
    mailLink(body.data.email, new URL(context.req.url).origin).catch((error: unknown) =>
      log(`A link for signing in was not mailed: ${error instanceof Error ? error.message : error}`),
    );
    return context.json({ said: "If somebody has this address, a link is on its way to it." }, 202);
  });
  // Not by opening the link alone: programs that look through mails open links, too.
  routes.post("/confirm", async (context) => {
    const body = linked.safeParse(await context.req.json().catch(() => null));
    const session = body.success ? await store.openSession(body.data.token) : null;
    if (session === null)
      return context.json({ error: "This link was used already, or is over. Ask for a new one." }, 403);
    setCookie(context, cookie, session, {
      ...{ httpOnly: true, sameSite: "Strict", path: "/app", maxAge: sessionSeconds },
    });
    return context.body(null, 204);
  });
  routes.post("/end", async (context) => {
    await store.endSession(getCookie(context, cookie) ?? "");
    deleteCookie(context, cookie, { path: "/app" });
    return context.body(null, 204);
  });
  return routes;
}

/** The id of the person who is signed in. */
export function signedIn(context: Context, store: SignInStore): Promise<string | null> {
  return store.personIdOf(getCookie(context, cookie) ?? "");
}
