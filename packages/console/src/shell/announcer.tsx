import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { statsQuery } from "../api/pipelines-api.ts";
import { announce, useAnnouncement } from "../live/announcements.ts";
import { useLiveStatus } from "../live/live-status.ts";
import { useNewJobs } from "../live/new-jobs.ts";
import { text } from "../text/text.ts";

const failuresEveryMs = 10_000;

/** The one place from which the page speaks by itself. What one did oneself and failed is said by its toast, at once. */
export function Announcer() {
  useFailures();
  useArrivals();
  useConnection();
  return (
    <p role="status" aria-live="polite" className="sr-only">
      {useAnnouncement()}
    </p>
  );
}

/** How many jobs have failed since it was last said, not each of them, and not those that had failed before. */
function useFailures(): void {
  const stats = useQuery(statsQuery).data;
  const failed = stats?.filter(({ status }) => status === "failed").reduce((sum, { jobs }) => sum + jobs, 0);
  const told = useRef({ count: Number.POSITIVE_INFINITY, atMs: Number.NEGATIVE_INFINITY });
  useEffect(() => {
    if (failed === undefined) return;
    const isNews = failed > told.current.count;
    if (isNews && performance.now() - told.current.atMs < failuresEveryMs) return;
    if (isNews) announce(text.live.newFailures(failed - told.current.count));
    told.current = { count: failed, atMs: isNews ? performance.now() : told.current.atMs };
  }, [failed]);
}

/** That there are new ones; the list says how many by now. */
function useArrivals(): void {
  const count = useNewJobs();
  const hasNew = count > 0;
  const latest = useRef(count);
  latest.current = count;
  useEffect(() => {
    if (hasNew) announce(text.jobs.newJobs(latest.current));
  }, [hasNew]);
}

/** Not the first time that it is live: that is as it should be. */
function useConnection(): void {
  const { kind } = useLiveStatus();
  const before = useRef(kind);
  useEffect(() => {
    const isBack = kind === "live" && before.current !== "connecting" && before.current !== "live";
    if (isBack || kind === "reconnecting" || kind === "polling") announce(text.live.explain[kind]);
    before.current = kind;
  }, [kind]);
}
