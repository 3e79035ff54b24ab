import type { Document, ProvingGround } from "./proving-ground.ts";

const workers = 4;

/** Four workers over all documents: each is taken once in every stage, and by nobody else. */
export async function eachOnce(ground: ProvingGround, documents: readonly Document[]): Promise<string[]> {
  const ids = await ground.add(documents);
  const startedAt = performance.now();
  const jobs = await ground.withWorkers({ count: workers }, () => ground.ended(ids));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);

  const problems: string[] = [];
  const byWorker = new Map<string, number>();
  for (const job of jobs) {
    const tries = job.attempts.map(({ stage, outcome }) => `${stage} ${outcome}`).join(", ");
    if (tries !== "extraction done, ocr done, boost done")
      problems.push(`${job.id}: ${job.status}, ${tries}`);
    const reader = job.attempts.find(({ stage }) => stage === "ocr")?.workerId ?? "nobody";
    byWorker.set(reader, (byWorker.get(reader) ?? 0) + 1);
  }
  const pages = (await Promise.all(ids.map((id) => ground.readers(id)))).flat().length;
  const shares = [...byWorker.values()].join(" + ");
  ground.say(
    `${jobs.length} documents, ${pages} pages, ${workers} workers: ${seconds} s; read by each: ${shares}`,
  );
  return [...problems, ...(await ground.engine.verify()).map((violation) => JSON.stringify(violation))];
}
