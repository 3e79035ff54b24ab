import { poisonMark } from "./poison-mark.ts";
import type { Document, ProvingGround } from "./proving-ground.ts";

/** A document that kills its worker ends failed after three losses, and the others go on. */
export async function poisonDocument(
  ground: ProvingGround,
  documents: readonly Document[],
): Promise<string[]> {
  const [first, ...others] = documents;
  if (first === undefined) throw new Error("The corpus is empty.");
  const poison = {
    name: "poison.pdf",
    bytes: Buffer.concat([first.bytes, Buffer.from(`\n${poisonMark}\n%%EOF\n`)]),
  };
  const ids = await ground.add([poison, ...others]);
  const program = new URL("./poison-worker.ts", import.meta.url);
  const startedAt = performance.now();
  const [poisoned, ...rest] = await ground.withWorkers({ count: 2, program }, () => ground.ended(ids));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const lost = poisoned?.attempts.filter(({ outcome }) => outcome === "lost").length;
  const completed = rest.filter(({ status }) => status === "completed").length;
  ground.say(
    `poison.pdf: ${poisoned?.status} in ${poisoned?.stage} after ${lost} losses (${seconds} s); others completed: ${completed} of ${rest.length}`,
  );
  const isRight = poisoned?.status === "failed" && lost === 3 && completed === rest.length;
  return isRight
    ? []
    : ["A document that kills its worker must fail after three losses, and no other with it."];
}
