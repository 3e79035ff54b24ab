import { type Engine, RefusedError } from "lockstep";
import { type AddTakenParts, type AddTarget, addTaken, type RefusedJob } from "./add-taken.ts";
import { importedId } from "./imported-id.ts";
import type { Place, Source, SourceJob } from "./source.ts";

export interface HandOverParts extends AddTakenParts {
  readonly engine: Pick<Engine, "addMany" | "cancel">;
  readonly source: Source;
  readonly jobsPerBatch: number;
  readonly isDryRun: boolean;
}

export interface HandedOver {
  readonly imported: readonly SourceJob[];
  readonly refused: readonly RefusedJob[];
  readonly next: Place;
}

/**
 * One batch, so that at no moment a job is in neither queue, or may run in both. In one database it is one transaction.
 * In two, the source holds the jobs first, for good: whoever is killed then or later leaves jobs that nobody runs there, that
 * the next import takes again, and that it finds here by their ids if they were added already.
 */
export async function handOver(parts: HandOverParts, target: AddTarget, after: Place): Promise<HandedOver> {
  const { source, transactions, jobsPerBatch, isDryRun } = parts;
  const { queue } = target;
  if (isDryRun) {
    const { jobs, next } = await source.look(queue, after, jobsPerBatch);
    // What is refused, and why, only the add itself knows.
    const tried = await transactions.tryOut(() => addTaken(parts, target, jobs));
    return { imported: tried.here, refused: tried.refused, next };
  }
  const inSteps = async (): Promise<HandedOver> => {
    const { jobs, next } = await source.take(queue, after, jobsPerBatch);
    const added = await transactions
      .run(() => addTaken(parts, target, jobs))
      .catch(async (error) => {
        // Refused as a whole, such as by a pipeline that is full. After any other failure they may be here: they stay held.
        if (error instanceof RefusedError && !source.isShared) await source.giveBack(queue, jobs);
        throw error;
      });
    if (added.refused.length > 0) {
      await source.giveBack(
        queue,
        added.refused.map(({ job }) => job),
      );
    }
    const kept = added.here.length === 0 ? [] : await source.remove(queue, added.here);
    const stayed: RefusedJob[] = [];
    for (const job of kept) stayed.push({ job, reason: await takeBack(parts, queue, job) });
    return {
      imported: added.here.filter((job) => !kept.includes(job)),
      refused: [...added.refused, ...stayed],
      next,
    };
  };
  return source.isShared ? await transactions.run(inSteps) : await inSteps();
}

/** The source did not let it go: somebody has it there, or has removed it. Then it is not to run here. */
async function takeBack({ engine, kind }: HandOverParts, queue: string, job: SourceJob): Promise<string> {
  const id = importedId(kind, queue, job);
  const answer = await engine.cancel(id);
  return answer === "cancelled"
    ? "A worker or a person took it from the source in the same moment. It was cancelled here."
    : `A worker or a person took it from the source in the same moment, and it has begun here as ${id}.`;
}
