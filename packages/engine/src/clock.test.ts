// These tests are about the real clock, so they wait for real time, some milliseconds of it.
import { getEventListeners } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

describe("sleep", () => {
  test("ends no earlier than asked", async () => {
    const startedAtMs = systemClock.monotonicMs();
    await systemClock.sleep(20);
    expect(systemClock.monotonicMs() - startedAtMs).toBeGreaterThanOrEqual(19);
  });

  test("ends early when its signal aborts, without rejecting", async () => {
    const controller = new AbortController();
    const sleeping = systemClock.sleep(3_600_000, controller.signal);
    controller.abort();
    await expect(sleeping).resolves.toBeUndefined();
  });

  test("ends at once when its signal has aborted before", async () => {
    await expect(systemClock.sleep(3_600_000, AbortSignal.abort())).resolves.toBeUndefined();
  });

  test("leaves no listener on a signal that outlives it", async () => {
    const { signal } = new AbortController();
    await Promise.all([1, 2, 3].map((ms) => systemClock.sleep(ms, signal)));
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("leaves no listener and no timer after an abort", async () => {
    vi.useFakeTimers();
    try {
      const controller = new AbortController();
      const sleeping = systemClock.sleep(1_000, controller.signal);
      expect(vi.getTimerCount()).toBe(1);
      controller.abort();
      await sleeping;
      expect(vi.getTimerCount()).toBe(0);
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([2 ** 31, 5e9, Number.POSITIVE_INFINITY])(
    "of %d ms, longer than a timer can hold, does not end at once",
    async (ms) => {
      const controller = new AbortController();
      let hasEnded = false;
      const sleeping = systemClock.sleep(ms, controller.signal).then(() => {
        hasEnded = true;
      });
      await systemClock.sleep(10);
      expect(hasEnded).toBe(false);
      controller.abort();
      await sleeping;
    },
  );

  test("longer than a timer can hold ends when its time is over", async () => {
    vi.useFakeTimers();
    try {
      let hasEnded = false;
      void systemClock.sleep(5_000_000_000).then(() => {
        hasEnded = true;
      });
      await vi.advanceTimersByTimeAsync(4_999_999_999);
      expect(hasEnded).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(hasEnded).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  test("of nothing lets other work go on before it ends", async () => {
    const order: string[] = [];
    setImmediate(() => order.push("other work"));
    for (const ms of [0, -5, Number.NaN]) await systemClock.sleep(ms);
    order.push("awake");
    expect(order).toEqual(["other work", "awake"]);
  });
});

test("monotonicMs counts the same in another thread", async () => {
  const before = systemClock.monotonicMs();
  const thread = new Worker(
    'require("worker_threads").parentPort.postMessage(Number(process.hrtime.bigint() / 1000n) / 1000)',
    { eval: true },
  );
  const inThread = await new Promise<number>((resolve) => thread.once("message", resolve));
  await thread.terminate();
  expect(inThread).toBeGreaterThanOrEqual(before);
  expect(inThread).toBeLessThanOrEqual(systemClock.monotonicMs());
});

test("now is the wall clock", () => {
  expect(Math.abs(systemClock.now().getTime() - Date.now())).toBeLessThan(30_000);
});
