import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./measurement.ts";

/** Waits until the queue itself says that all is settled, not only called; false when the time was over before. */
export async function untilDrained({ driver }: Pick<Bench, "driver">, limitMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + limitMs;
  while (performance.now() < giveUpAt) {
    if (await driver.isDrained()) return true;
    await sleep(2);
  }
  return false;
}
