import type { Payload } from "../contenders/contender.ts";
import { machineMs } from "../machine/machine-clock.ts";

const bytesWithoutFiller = JSON.stringify({ n: 100_000, sentAtMs: 0, filler: "" }).length;

/** A payload of about this many bytes as JSON. */
export function payload(n: number, bytes: number, isTimed = false): Payload {
  return {
    n,
    sentAtMs: isTimed ? machineMs() : 0,
    filler: "x".repeat(Math.max(0, bytes - bytesWithoutFiller)),
  };
}

/** In slices, so that a million of them are never in memory at once. */
export function* payloadSlices(jobs: number, bytes: number): Generator<Payload[]> {
  const slice = 50_000;
  for (let start = 0; start < jobs; start += slice) {
    yield Array.from({ length: Math.min(slice, jobs - start) }, (_, index) => payload(start + index, bytes));
  }
}
