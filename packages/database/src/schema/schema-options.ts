import type { ConnectionOptions } from "../connecting/connection-options.ts";

/** One installation: how to connect to its database, and the name of its schema there. */
export type SchemaOptions = ConnectionOptions & {
  /** Default "lockstep". */
  readonly schema?: string | undefined;
};
