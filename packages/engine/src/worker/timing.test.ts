import { describe, expect, test } from "vitest";
import { classic, schedulersOnDatabase } from "../test-support/scheduler-setup.ts";

const { aWorker, jobs } = schedulersOnDatabase();

describe("by the classic timing", () => {
  test("it looks at its own times only, and takes its batch whether or not a processor is idle", async () => {
    const worker = await aWorker({ ...classic, options: { processors: 1 } });
    await worker.start();
    const ids = await jobs(12);
    worker.scheduler.lookNow();
    await worker.advance(59_999);
    expect(worker.running()).toEqual([]);
    await worker.advance(1);
    expect(worker.running()).toEqual(ids.slice(0, 1));
    expect(worker.queue.waiting(Number(worker.stages[0]?.id))).toBe(9);
    await worker.end(String(ids[0]));
    expect(worker.calls.at(-1)).toEqual({ ends: 1, asks: 0, claims: 0 });
    expect(worker.announcements).toEqual([]);
  });
});
