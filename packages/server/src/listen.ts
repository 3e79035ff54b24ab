import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { ConfigError } from "lockstep";
import { isLoopback } from "./access/loopback.ts";
import type { Server } from "./server.ts";

/** Where a server listens, and how long it waits for slow clients. */
export interface ListenOptions {
  /** 127.0.0.1 by default. */
  readonly host?: string | undefined;
  /** 4400 by default; 0 takes any free one, "first free from 4400" the next one that is. */
  readonly port?: number | `first free from ${number}` | undefined;
  /** A client that has not sent its headers by then is cut off; 10 s by default. */
  readonly headersTimeoutMs?: number | undefined;
  /** The same for its whole request; 30 s by default. */
  readonly requestTimeoutMs?: number | undefined;
}

/** A server that listens: its address, and how to stop it. */
export interface Listening {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Stops the server: no more connections, streams ended, requests under way answered. */
  stop(): Promise<void>;
}

/** What can listen: a server, or whatever stands before one. */
export type Listener = Pick<Server, "fetch" | "stop" | "isForLoopbackOnly" | "mountPath">;

const limits = { keepAliveTimeout: 65_000, maxHeaderSize: 16_384 };
// How often Node looks for clients that are late; 30 s by default.
const lookForLateMs = 1_000;
const portsTried = 100;

/** Makes a server a process's own: it answers at an address of this machine. */
export async function listen(server: Listener, options: ListenOptions = {}): Promise<Listening> {
  const { host = "127.0.0.1", port = 4400, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 } = options;
  if (server.isForLoopbackOnly && !isLoopback(host)) {
    throw new ConfigError(
      `With access "loopback" whoever reaches the server may do everything, so it does not listen on ${host}. Listen on 127.0.0.1, or give createServer tokens: access: { tokens: [{ user: "ops", role: "operator", token }] }.`,
    );
  }
  const http = createAdaptorServer({
    fetch: server.fetch,
    overrideGlobalObjects: false,
    serverOptions: {
      ...limits,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(lookForLateMs, headersTimeoutMs),
    },
  }) as HttpServer;
  await (typeof port === "number" ? bind(http, host, port) : bindFirstFree(http, host, firstOf(port)));
  const address = http.address() as AddressInfo;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return {
    url: `http://${shownHost}:${address.port}${server.mountPath}`,
    host,
    port: address.port,
    stop: () => stop(server, http),
  };
}

async function stop(server: Listener, http: HttpServer): Promise<void> {
  const closed = http.listening ? once(http, "close") : Promise.resolve();
  http.close();
  http.closeIdleConnections();
  await server.stop();
  // Kept open by their clients, though nothing is under way any more.
  http.closeAllConnections();
  await closed;
}

async function bindFirstFree(http: HttpServer, host: string, first: number): Promise<void> {
  for (let port = first; ; port += 1) {
    try {
      return await bind(http, host, port);
    } catch (error) {
      if (!isTaken(error) || port >= first + portsTried) throw error;
    }
  }
}

async function bind(http: HttpServer, host: string, port: number): Promise<void> {
  const listening = once(http, "listening");
  http.listen({ host, port });
  try {
    await listening;
  } catch (error) {
    if (!isTaken(error)) throw error;
    const sentence = `Port ${port} of ${host} is taken: choose another port, or "first free from ${port}".`;
    throw Object.assign(new ConfigError(sentence, { cause: error }), { code: "EADDRINUSE" });
  }
}

function firstOf(port: string): number {
  const [, first] = /^first free from (\d{1,5})$/.exec(port) ?? [];
  if (first === undefined)
    throw new ConfigError('port must be a number, or a text such as "first free from 4400".');
  return Number(first);
}

function isTaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === "EADDRINUSE";
}
