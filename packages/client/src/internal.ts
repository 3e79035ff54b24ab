// What the hooks of @lockstep/react are made of. It may change with any release.
export { clientClock } from "./client-clock.ts";
export { JobWatch, type WatchedJob } from "./job-watch.ts";
export { SharedEvents } from "./shared-events.ts";
export { StreamWatch, type WatchedStream } from "./stream-watch.ts";
