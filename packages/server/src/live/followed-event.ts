import type { JobEvent } from "lockstep";

/** What a follower of the log is given. A client continues from its cursor, here or at another server. */
export type FollowedEvent =
  | { readonly kind: "job"; readonly cursor: string; readonly event: JobEvent }
  /** Nothing to tell, but all that came before this place has been told. */
  | { readonly kind: "place"; readonly cursor: string }
  /** Events before this place are lost: read again what was built on them. */
  | { readonly kind: "reset"; readonly cursor: string };
