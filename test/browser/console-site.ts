import { consoleFolder } from "@lockstep/console";
import { createServer, type Listening, listen, type ServerOptions } from "@lockstep/server";
import { createEngine, type Engine, type EngineOptions } from "lockstep";
import { onTestFinished } from "vitest";

export interface ConsoleSite extends Pick<Listening, "url"> {
  readonly engine: Engine;
}

export interface ConsoleSiteOptions {
  /** The engine's; it works only if the story starts it. */
  readonly engine?: Omit<EngineOptions, "databaseUrl">;
  readonly server?: Omit<ServerOptions, "engine" | "access"> & { readonly access?: ServerOptions["access"] };
}

/** The console as an application serves it, at a port of this machine until the test ends. */
export async function consoleSite(
  db: { readonly url: string },
  { engine: engineOptions = {}, server: serverOptions = {} }: ConsoleSiteOptions = {},
): Promise<ConsoleSite> {
  const engine = createEngine({ logger: null, ...engineOptions, databaseUrl: db.url });
  const server = createServer({
    access: "loopback",
    consoleFolder,
    readsPerSecond: null,
    logger: null,
    ...serverOptions,
    engine,
  });
  const { url, stop } = await listen(server, { port: 0 });
  onTestFinished(async () => {
    await stop();
    await engine.stop();
  });
  return { url, engine };
}
