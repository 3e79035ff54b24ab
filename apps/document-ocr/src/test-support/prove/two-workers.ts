import { availableParallelism } from "node:os";
import type { Document, ProvingGround } from "./proving-ground.ts";

/** How long two workers take beside one, over the same documents. Needs two cores that have nothing else to do. */
export async function twoWorkers(ground: ProvingGround, documents: readonly Document[]): Promise<string[]> {
  const msWith = (count: number) =>
    // From when they wait for work on: how long processes take to start is no question of the queue.
    ground.withWorkers({ count }, async () => {
      const startedAt = performance.now();
      await ground.ended(await ground.add(documents));
      const ms = performance.now() - startedAt;
      await ground.forgetPages();
      return ms;
    });
  // One worker before and after, so that neither side has the warmer machine; the faster of them counts.
  const [before, two, after] = [await msWith(1), await msWith(2), await msWith(1)];
  const one = Math.min(before, after);
  const ratio = two / one;
  ground.say(
    `${documents.length} documents: one worker ${shown(before)} and ${shown(after)}, two ${shown(two)}, ratio ${ratio.toFixed(2)}`,
  );
  const hasTwoCores = availableParallelism() >= 2;
  return hasTwoCores && ratio > 0.6
    ? [`Two workers took ${ratio.toFixed(2)} of one worker's time, more than 0.6.`]
    : [];
}

function shown(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
