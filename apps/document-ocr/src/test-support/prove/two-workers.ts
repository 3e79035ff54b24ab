import { availableParallelism } from "node:os";
import type { Document, ProvingGround } from "./proving-ground.ts";

/** How long two workers take beside one, over the same documents. Needs two cores that have nothing else to do. */
export async function twoWorkers(ground: ProvingGround, documents: readonly Document[]): Promise<string[]> {
  const msWith = async (count: number) => {
    await ground.forgetPages();
    // From the first claim on: how long processes take to start is no question of the queue.
    return ground.withWorkers({ count }, async () => {
      const startedAt = performance.now();
      await ground.ended(await ground.add(documents));
      return performance.now() - startedAt;
    });
  };
  const [one, two] = [await msWith(1), await msWith(2)];
  const ratio = two / one;
  ground.say(
    `${documents.length} documents: one worker ${(one / 1_000).toFixed(1)} s, two ${(two / 1_000).toFixed(1)} s, ratio ${ratio.toFixed(2)}`,
  );
  const hasTwoCores = availableParallelism() >= 2;
  return hasTwoCores && ratio > 0.6
    ? [`Two workers took ${ratio.toFixed(2)} of one worker's time, more than 0.6.`]
    : [];
}
