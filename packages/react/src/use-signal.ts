import type { SignalledAnswer } from "@lockstep/client";
import { useCallback, useState } from "react";
import { useLiveJobs } from "./lockstep-provider.ts";

/** A signal that is sent, or what was refused of the last one. */
export interface SignalState {
  /** Tells the job what one of its waits is for. Rejects with what `error` then has. */
  readonly signal: (name: string, value?: unknown) => Promise<SignalledAnswer>;
  readonly isSending: boolean;
  /** Null once another one is sent. */
  readonly error: unknown;
}

/** Lets a page answer what a job waits for: `useJob` tells what that is, in `job.wait`. */
export function useSignal(id: string): SignalState {
  const jobs = useLiveJobs();
  const [state, setState] = useState<Pick<SignalState, "isSending" | "error">>({
    isSending: false,
    error: null,
  });
  const signal = useCallback(
    async (name: string, value?: unknown) => {
      setState({ isSending: true, error: null });
      try {
        const answer = await jobs.signal(id, name, value);
        setState({ isSending: false, error: null });
        return answer;
      } catch (error) {
        setState({ isSending: false, error });
        throw error;
      }
    },
    [jobs, id],
  );
  return { signal, ...state };
}
