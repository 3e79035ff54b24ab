import { OpenAPIHono } from "@hono/zod-openapi";
import { refuseInvalid } from "../middleware/refuse-invalid.ts";
import type { ServerEnv } from "../server-env.ts";

export type ApiApp = OpenAPIHono<ServerEnv>;

/** A piece of the API: what its routes' schemas refuse is answered in the one way of all. */
export function apiApp(): ApiApp {
  return new OpenAPIHono<ServerEnv>({ defaultHook: refuseInvalid });
}
