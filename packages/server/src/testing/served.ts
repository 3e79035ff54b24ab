import { createEngine, type EngineOptions } from "lockstep";
import type { ServerOptions } from "../config/server-config.ts";
import { createServer } from "../create-server.ts";

/** The tokens of the people below. */
export const tokens = {
  operator: "a-token-of-an-operator-in-the-tests",
  viewer: "a-token-of-a-viewer-in-the-tests",
};

/** Otto the operator and Vera the viewer. */
export const operatorAndViewer = [
  { user: "otto", role: "operator", token: tokens.operator },
  { user: "vera", role: "viewer", token: tokens.viewer },
] as const;

/** A server and its engine on a test's database, for this machine unless the options say otherwise. `stop` ends both. */
export function served(
  databaseUrl: string,
  { pipelines = [], ...options }: Partial<ServerOptions> & Pick<EngineOptions, "pipelines"> = {},
) {
  const engine = createEngine({ databaseUrl, pipelines, logger: null });
  const server = createServer({ engine, access: "loopback", logger: null, ...options });
  const stop = async () => {
    await server.stop();
    await engine.stop();
  };
  return { engine, server, stop };
}
