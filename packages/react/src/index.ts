"use client";

export type { LiveJobEvent, LiveStatus } from "@lockstep/client";
export type { WatchedJob, WatchedStream } from "@lockstep/client/internal";
export { LockstepProvider, type LockstepProviderProps } from "./lockstep-provider.ts";
export { useJob } from "./use-job.ts";
export { type JobEventsOptions, useJobEvents } from "./use-job-events.ts";
export { useJobStream } from "./use-job-stream.ts";
export { useLiveStatus } from "./use-live-status.ts";
export { type SignalState, useSignal } from "./use-signal.ts";
