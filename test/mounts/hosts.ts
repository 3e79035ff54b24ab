import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import type { Server } from "@lockstep/server";
import express from "express";
import fastify from "fastify";
import { Hono } from "hono";
import { mountInExpress, mountInFastify, mountInHono } from "./mount.ts";

/** Where every host puts the server. */
export const mountPath = "/ops/jobs";

export interface Host {
  readonly name: string;
  /** Starts it with the server in it; resolves to its address. */
  mount(server: Server): Promise<{ url: string; stop(): Promise<void> }>;
}

const hono: Host = {
  name: "Hono",
  async mount(server) {
    const app = new Hono();
    app.get("/", (context) => context.text("the application"));
    mountInHono(app, server);
    return new Promise((resolve) => {
      const http = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, () =>
        resolve(running(http as HttpServer)),
      );
    });
  },
};

const expressHost: Host = {
  name: "Express",
  async mount(server) {
    const app = express();
    app.get("/", (_request, response) => void response.send("the application"));
    mountInExpress(app, server);
    // Bodies are read by the application after the mount: what has been read is not there any more.
    app.use(express.json());
    return await listening(createHttpServer(app));
  },
};

const fastifyHost: Host = {
  name: "Fastify",
  async mount(server) {
    const app = fastify();
    app.get("/", async () => "the application");
    await mountInFastify(app, server);
    await app.listen({ host: "127.0.0.1", port: 0 });
    const { url } = running(app.server);
    const stop = async () => {
      app.server.closeAllConnections();
      await app.close();
    };
    return { url, stop };
  },
};

// By hand: its own types change those of process.env everywhere.
interface NextApp {
  prepare(): Promise<void>;
  getRequestHandler(): Parameters<typeof createHttpServer>[1];
  close(): Promise<void>;
}

const next: Host = {
  name: "Next",
  async mount(server) {
    const start = createRequire(import.meta.url)("next") as (options: object) => NextApp;
    (globalThis as { mountedServer?: Server }).mountedServer = server;
    const folder = fileURLToPath(new URL("next-app", import.meta.url));
    const app = start({ dev: true, dir: folder, quiet: true });
    await app.prepare();
    const { url, stop } = await listening(createHttpServer(app.getRequestHandler()));
    return { url, stop: () => stop().then(() => app.close()) };
  },
};

export const hosts: readonly Host[] = [hono, expressHost, fastifyHost, next];

async function listening(http: HttpServer): Promise<{ url: string; stop(): Promise<void> }> {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return running(http);
}

function running(http: HttpServer): { url: string; stop(): Promise<void> } {
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
