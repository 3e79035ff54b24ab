import type { ApiApp } from "../routes/api-app.ts";

export const apiVersion = "1.0.0";

/** OpenAPI 3.1 of all routes, from the very schemas that check requests. */
export function openApiOf(api: ApiApp, url: string): object {
  api.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    description: "One of the server's tokens.",
  });
  api.openAPIRegistry.registerComponent("securitySchemes", "basic", {
    type: "http",
    scheme: "basic",
    description: "Any user name, with a token as the password: how a browser logs in.",
  });
  return api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Lockstep",
      version: apiVersion,
      description:
        "Jobs on PostgreSQL over HTTP. Refusals are RFC 9457 problems with stable codes; lists have opaque cursors; every POST takes an Idempotency-Key.",
      license: { name: "MIT" },
    },
    servers: [{ url }],
    tags: [
      "jobs",
      "pipelines",
      "stages",
      "workers",
      "stats",
      "schedules",
      "bulk actions",
      "audit",
      "access",
      "health",
      "events",
    ].map((name) => ({ name })),
  });
}
