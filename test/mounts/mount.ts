import { nodeHandler, type Server } from "@lockstep/server";
import type { Express } from "express";
import type { FastifyInstance } from "fastify";
import type { Hono } from "hono";

export function mountInHono(app: Hono, server: Server) {
  app.mount("/ops/jobs", server.fetch);
}

/** Before express.json(): the server reads its bodies itself. */
export function mountInExpress(app: Express, server: Server) {
  app.use("/ops/jobs", nodeHandler(server));
}

export async function mountInFastify(app: FastifyInstance, server: Server) {
  const handle = nodeHandler(server);
  const register = async (scope: FastifyInstance) => {
    // The server reads its bodies itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.all("/*", (request, reply) => {
      reply.hijack();
      return handle(request.raw, reply.raw);
    });
  };
  await app.register(register, { prefix: "/ops/jobs" });
}
