import { type ConnectionTarget, connectionTarget } from "@lockstep/database/internal";

/** How to connect to the database of this URL. */
export function targetAt(databaseUrl: string): ConnectionTarget {
  return connectionTarget({ databaseUrl }, (sentence) => new Error(sentence));
}
