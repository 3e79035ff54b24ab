"use client";

import { createClient } from "@lockstep/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** One read of the table for all that happens within this time. */
const gatherMs = 100;

/** Reads the entries again whenever the log has an event of one. True while its stream is open; otherwise the page has to poll. */
export function useLiveEntries(): boolean {
  const queries = useQueryClient();
  const [isLive, setIsLive] = useState(false);

  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const readSoon = () => {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        void queries.invalidateQueries({ queryKey: ["entries"] });
      }, gatherMs);
    };
    const client = createClient({ baseUrl: "/lockstep", token: fetchToken });
    const live = client.follow(
      {
        pauseWhenHidden: true,
        onStatus: ({ state }) => {
          setIsLive(state === "live");
          // What happened before the stream was there, it does not tell.
          if (state === "live") readSoon();
        },
      },
      readSoon,
      // Refused for good, as without a secret for tokens: polling carries it.
      () => setIsLive(false),
    );
    return () => {
      clearTimeout(waiting);
      live.close();
    };
  }, [queries]);

  return isLive;
}

async function fetchToken(): Promise<string> {
  const response = await fetch("/api/live-token");
  if (!response.ok) throw new Error(`The server gave no token for live updates: ${response.status}.`);
  return await response.text();
}
