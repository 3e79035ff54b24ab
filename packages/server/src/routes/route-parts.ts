import type { Engine, Reader } from "lockstep";
import type { Door } from "../access/door.ts";
import type { ServerConfig } from "../config/server-settings.ts";
import type { JobView } from "../jobs/job-view.ts";
import type { OldestWaits } from "../jobs/oldest-waits.ts";
import type { Live } from "../live/make-live.ts";

/** What the routes work with. */
export interface RouteParts {
  readonly config: ServerConfig;
  readonly engine: Engine;
  readonly reader: Reader;
  readonly view: JobView;
  readonly live: Live;
  readonly waits: OldestWaits;
  /** Who a request comes from, for what lasts longer than a request. */
  readonly door: Door;
  /** "/jobs/1" → where a client finds it, under the path the server is mounted at. */
  readonly link: (path: string) => string;
  /** Aborts when the server stops: what waits or streams ends then. */
  readonly stopping: AbortSignal;
}
