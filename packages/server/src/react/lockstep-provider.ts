import { createContext, createElement, type ReactElement, type ReactNode, useContext, useState } from "react";
import type { LockstepClient } from "../client/create-client.ts";
import type { LiveQuery } from "../client/live-query.ts";
import { LiveJobs } from "./live-jobs.ts";

const context = createContext<LiveJobs | null>(null);

export interface LockstepProviderProps {
  readonly client: LockstepClient;
  /** What the one stream of all hooks carries; everything the token may see, unless told. Read once. */
  readonly query?: Pick<LiveQuery, "owner" | "pipeline" | "jobId">;
  /** Lets go of the stream while the page is hidden; it does, unless told. Read once. */
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
  // Another client, say of another user, has nothing in common with the one before.
  const current =
    held.client === client ? held : { client, jobs: new LiveJobs(client, { ...query, pauseWhenHidden }) };
  if (current !== held) hold(current);
  return createElement(context.Provider, { value: current.jobs }, children);
}

export function useLiveJobs(): LiveJobs {
  const jobs = useContext(context);
  if (jobs === null) {
    throw new Error(
      "useJob and useJobEvents need a LockstepProvider above them: <LockstepProvider client={…}>.",
    );
  }
  return jobs;
}
