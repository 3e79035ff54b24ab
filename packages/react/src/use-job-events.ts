import type { LiveJobEvent } from "@lockstep/client";
import { useEffect, useRef, useState } from "react";
import { useLiveJobs } from "./lockstep-provider.ts";

/** Which events are meant, and how many are kept. */
export interface JobEventsOptions {
  readonly jobId?: string;
  readonly pipeline?: string;
  readonly owner?: string;
  /** How many of the last events are kept; 100 by default. */
  readonly limit?: number;
  /** Called with each event as it comes. */
  readonly onEvent?: (event: LiveJobEvent) => void;
  /** Called when events were lost for good: read again what was built on them. */
  readonly onReset?: () => void;
}

/** The last events of the jobs that are asked for, oldest first. */
export function useJobEvents(options: JobEventsOptions = {}): readonly LiveJobEvent[] {
  const { jobId, pipeline, owner } = options;
  const { events } = useLiveJobs();
  const [seen, setSeen] = useState<readonly LiveJobEvent[]>([]);
  // So that a new function at every render does not mean a new subscription.
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  useEffect(() => {
    setSeen([]);
    return events.subscribe((message) => {
      if (message.type === "reset") latest.current.onReset?.();
      if (message.type !== "job") return;
      const { event } = message;
      if (jobId !== undefined && jobId !== event.jobId) return;
      if (pipeline !== undefined && pipeline !== event.pipeline) return;
      if (owner !== undefined && owner !== event.owner) return;
      const { limit = 100, onEvent } = latest.current;
      setSeen((before) => [...before, event].slice(-limit));
      onEvent?.(event);
    });
  }, [events, jobId, pipeline, owner]);
  return seen;
}
