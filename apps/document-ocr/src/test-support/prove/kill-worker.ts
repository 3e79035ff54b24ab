import { readdir } from "node:fs/promises";
import type { Document, ProvingGround } from "./proving-ground.ts";

const pagesBeforeKill = 10;

/** kill -9 in the middle of a long document: another worker goes on from the pages that are done. */
export async function killWorker(ground: ProvingGround, documents: readonly Document[]): Promise<string[]> {
  const [id = ""] = await ground.add(documents.slice(0, 1));
  const { job, killed, secondsIdle } = await ground.withWorkers({ count: 2 }, async () => {
    await ground.until(async () => (await ground.readers(id)).length >= pagesBeforeKill);
    const holder = (await ground.engine.get(id))?.workerId;
    const pid = (await ground.engine.workers()).find(({ workerId }) => workerId === holder)?.pid ?? 0;
    process.kill(pid, "SIGKILL");
    const killedAt = performance.now();
    await ground.until(async () => (await ground.readers(id)).some((reader) => reader.pid !== pid));
    const idle = Math.round((performance.now() - killedAt) / 1_000);
    const [ended] = await ground.ended([id]);
    return { job: ended, killed: pid, secondsIdle: idle };
  });

  const readers = await ground.readers(id);
  const before = readers.filter(({ pid }) => pid === killed).length;
  const last = readers.findLastIndex(({ pid }) => pid === killed) + 1;
  const tries = job?.attempts.filter(({ stage }) => stage === "ocr").map(({ outcome }) => outcome) ?? [];
  ground.say(
    `killed after ${before} of ${readers.length} pages; another read its first page ${secondsIdle} s later, and ${readers.length - before} in all`,
  );
  const problems: string[] = [];
  if (job?.status !== "completed") problems.push(`The job is ${job?.status}.`);
  if (tries.join() !== "lost,done") problems.push(`The tries of ocr ended ${tries.join()}.`);
  if (before < pagesBeforeKill || last !== before)
    problems.push(`Pages of the killed one: ${before}, last ${last}.`);
  const left = await readdir(ground.tempFolder);
  if (left.length > 0) problems.push(`Folders were left: ${left.join()}`);
  return problems;
}
