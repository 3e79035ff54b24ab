import type { Listener, Server } from "@lockstep/server";
import { type Env, Hono } from "hono";
import { isFromThisMachine } from "./is-from-this-machine.ts";
import type { PageFiles } from "./page-files.ts";

export interface PageServerParts<Routes extends Env> {
  /** The API of Lockstep, with the console if it has one; mounted under /lockstep. */
  readonly api: Pick<Server, "fetch" | "stop">;
  readonly pages: PageFiles;
  /** What the page asks for, under /app. */
  readonly routes: Hono<Routes>;
}

export const apiMount = "/lockstep";

/** A page and what it asks for, beside the mounted API of Lockstep. It answers this machine only. */
export function pageServer<Routes extends Env>({ api, pages, routes }: PageServerParts<Routes>): Listener {
  const app = new Hono();
  app.use(async (context, next) =>
    isFromThisMachine(context.req.raw)
      ? next()
      : context.text("Only requests from this machine are allowed.\n", 403),
  );
  app.route("/app", routes);
  app.get("*", async (context) => (await pages.answer(context.req.path)) ?? context.notFound());
  app.notFound((context) => context.json({ error: "There is nothing here." }, 404));
  // Whoever listens answers it and logs it.
  app.onError((error) => {
    throw error;
  });
  return {
    isForLoopbackOnly: true,
    mountPath: "",
    stop: () => api.stop(),
    fetch: async (request, peer) => {
      const { pathname } = new URL(request.url);
      const isForApi = pathname === apiMount || pathname.startsWith(`${apiMount}/`);
      return isForApi ? api.fetch(request, peer) : app.fetch(request);
    },
  };
}
