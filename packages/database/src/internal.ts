// @lockstep/database/internal: what the engine shares with migrate. Not for applications: it may change in any release.
export { connectionProblem } from "./connecting/connection-problem.ts";
export { type ConnectionTarget, connectionTarget } from "./connecting/connection-target.ts";
export { databaseUrlProblem } from "./connecting/database-url.ts";
export { openClient } from "./connecting/open-client.ts";
