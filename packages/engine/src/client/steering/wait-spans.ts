import type { EngineEvents } from "../../events/engine-events.ts";
import type { JobTracing } from "../../events/job-tracing.ts";
import type { SignalStore } from "../../store/steering/signal-store.ts";
import { UnderWay } from "../../waiting/under-way.ts";

export interface WaitSpansParts {
  readonly tracing: Pick<JobTracing, "wait">;
  readonly events: Pick<EngineEvents, "on" | "emitError">;
  readonly store: Pick<SignalStore, "endedWaits">;
}

/**
 * Spans for waits, of the process that ended them: the one that sent the signal, or the worker that noticed that time was up. What
 * a span tells is read when the wait is over, so that only those who trace pay for it. Returns the function that ends it.
 */
export function traceWaits({ tracing, events, store }: WaitSpansParts): () => Promise<void> {
  const underWay = new UnderWay();
  const trace = async (jobIds: readonly string[], stage: string | null) => {
    try {
      for (const wait of await store.endedWaits(jobIds, stage)) tracing.wait(wait);
    } catch (thrown) {
      events.emitError(thrown);
    }
  };
  const endings = [
    events.on("job.signalled", ({ jobId, signal }) => void underWay.add(trace([jobId], signal))),
    events.on("job.waits_ended", ({ jobIds }) => void underWay.add(trace(jobIds, null))),
  ];
  return async () => {
    for (const end of endings) end();
    await underWay.settled();
  };
}
