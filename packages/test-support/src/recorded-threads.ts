import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";

const channel = "worker_threads";

/** Whether each thread that this process has begun since still runs, in the order of their beginnings. */
export function recordThreads(): () => boolean[] {
  const threads: Worker[] = [];
  const listener = (message: unknown) => void threads.push((message as { worker: Worker }).worker);
  subscribe(channel, listener);
  onTestFinished(() => void unsubscribe(channel, listener));
  // Node gives a thread that has ended this number.
  return () => threads.map(({ threadId }) => threadId !== -1);
}
