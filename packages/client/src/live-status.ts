/** How the client gets its updates, and since when. */
export interface LiveStatus {
  readonly state: "connecting" | "live" | "polling" | "reconnecting" | "paused" | "closed";
  readonly since: Date;
}
