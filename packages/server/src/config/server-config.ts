import { ConfigError } from "lockstep";
import { didYouMean } from "lockstep/internal";
import { type ServerConfig, serverSettings } from "./server-settings.ts";

/** What `createServer` takes: the engine, who may come in, and whatever else is to differ from its default. */
export type ServerOptions = Pick<ServerConfig, "engine" | "access"> & {
  readonly [Name in keyof ServerConfig]?: ServerConfig[Name] | undefined;
};

/** Checks the settings and completes them; what holds afterwards is not checked again. */
export function readServerConfig(options: ServerOptions): ServerConfig {
  if (typeof options !== "object" || options === null) {
    throw new ConfigError("The settings of a server must be an object such as { engine, access }.");
  }
  const given: Record<string, unknown> = { ...options };
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(serverSettings, key)) continue;
    throw new ConfigError(
      `Unknown setting "${key}" of a server.${didYouMean(key, Object.keys(serverSettings))}`,
    );
  }
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(serverSettings)) {
    const value = given[name] === undefined ? setting.default : given[name];
    const complaint = setting.check(value);
    if (complaint !== null) throw new ConfigError(`${name} ${complaint}.`);
    config[name] = Array.isArray(value) ? Object.freeze([...value]) : value;
  }
  return Object.freeze(config) as unknown as ServerConfig;
}
