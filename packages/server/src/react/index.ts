export type { WatchedJob } from "../client/job-watch.ts";
export type { LiveJobEvent } from "../client/live-message.ts";
export type { LiveStatus } from "../client/live-status.ts";
export { LockstepProvider, type LockstepProviderProps } from "./lockstep-provider.ts";
export { useJob } from "./use-job.ts";
export { type JobEventsOptions, useJobEvents } from "./use-job-events.ts";
export { useLiveStatus } from "./use-live-status.ts";
