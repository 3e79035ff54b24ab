export type { Access, AccessToken, AuthorizeAccess } from "./access/access.ts";
export type { Grant, Role } from "./access/caller.ts";
export type { Right } from "./contract/access.ts";
export { createServer } from "./create-server.ts";
export { type Listener, type Listening, type ListenOptions, listen } from "./listen.ts";
export type { Server } from "./server.ts";
export type { ServerOptions } from "./server-config.ts";
export type { Peer } from "./server-env.ts";
export { type ServerConfig, serverSettings } from "./server-settings.ts";
