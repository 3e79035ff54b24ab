import type { Engine, Reader } from "lockstep";
import type { JobView } from "../job-view.ts";
import type { ServerConfig } from "../server-settings.ts";

/** What the routes work with. */
export interface RouteParts {
  readonly config: ServerConfig;
  readonly engine: Engine;
  readonly reader: Reader;
  readonly view: JobView;
  /** "/jobs/1" → where a client finds it, under the path the server is mounted at. */
  readonly link: (path: string) => string;
  /** Aborts when the server stops: what waits or streams ends then. */
  readonly stopping: AbortSignal;
}
