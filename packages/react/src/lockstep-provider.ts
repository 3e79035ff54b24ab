import type { LiveQuery, LockstepClient } from "@lockstep/client";
import { createContext, createElement, type ReactElement, type ReactNode, useContext, useState } from "react";
import { LiveJobs } from "./live-jobs.ts";

const context = createContext<LiveJobs | null>(null);

/** The client that all hooks below use, and what its one stream carries. */
export interface LockstepProviderProps {
  readonly client: LockstepClient;
  /** What the one stream of all hooks carries; by default everything the token may see. Read once. */
  readonly query?: Pick<LiveQuery, "owner" | "pipeline" | "jobId">;
  /** Whether to close the stream while the page is hidden; true by default. Read once. */
  readonly pauseWhenHidden?: boolean;
  readonly children?: ReactNode;
}

/** Gives the hooks below it a client. They share one stream, which is open while any of them is drawn. */
export function LockstepProvider(props: LockstepProviderProps): ReactElement {
  const { client, query = {}, pauseWhenHidden = true, children } = props;
  const [held, hold] = useState(() => ({
    client,
    jobs: new LiveJobs(client, { ...query, pauseWhenHidden }),
  }));
  // Another client, for example of another user, shares nothing with the previous one.
  const current =
    held.client === client ? held : { client, jobs: new LiveJobs(client, { ...query, pauseWhenHidden }) };
  if (current !== held) hold(current);
  return createElement(context.Provider, { value: current.jobs }, children);
}

export function useLiveJobs(): LiveJobs {
  const jobs = useContext(context);
  if (jobs === null) {
    throw new Error(
      "useJob, useJobEvents and useJobStream need a LockstepProvider above them: <LockstepProvider client={…}>.",
    );
  }
  return jobs;
}
