import { consoleFolder } from "@lockstep/console";
import { createServer, type Listening, listen, type ServerOptions } from "@lockstep/server";
import { createEngine, type Engine, type EngineOptions } from "lockstep";
import { onTestFinished } from "vitest";

export interface ConsoleSite extends Pick<Listening, "url" | "port" | "stop"> {
  readonly engine: Engine;
}

export interface ConsoleSiteOptions {
  /** The engine's; it works only if the story starts it. */
  readonly engine?: Omit<EngineOptions, "databaseUrl">;
  readonly server?: Partial<Omit<ServerOptions, "engine">>;
  /** Any that is free, unless told. */
  readonly port?: number;
}

/** The console as an application serves it, at a port of this machine until the test ends or it is stopped. */
export async function consoleSite(
  db: { readonly url: string },
  { engine: engineOptions = {}, server: serverOptions = {}, port = 0 }: ConsoleSiteOptions = {},
): Promise<ConsoleSite> {
  // What still runs when a story ends is of no more interest.
  const engine = createEngine({ logger: null, drainTimeoutMs: 0, ...engineOptions, databaseUrl: db.url });
  const server = createServer({
    access: "loopback",
    consoleFolder,
    readsPerSecond: null,
    logger: null,
    ...serverOptions,
    engine,
  });
  const listening = await listen(server, { port });
  onTestFinished(async () => {
    await listening.stop();
    await engine.stop();
  });
  return { ...listening, engine };
}

/** The same with a worker in it. */
export async function workingSite(
  db: { readonly url: string },
  options: ConsoleSiteOptions = {},
): Promise<ConsoleSite> {
  const site = await consoleSite(db, options);
  await site.engine.start();
  return site;
}
