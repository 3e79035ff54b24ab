import type { StageContext } from "lockstep";
import type { EntriesDatabase } from "../database/entries-database.ts";
import { PermanentError } from "../native-packages.ts";
import { type EntryStep, readTitle, writeFailure, writeStep } from "../services/entry-steps.ts";
import { simulatedWork } from "../services/simulated-work.ts";

export interface EntryStageParts {
  readonly db: EntriesDatabase;
  readonly stageWorkMs: number;
}

type EntryContext = Pick<
  StageContext<{ entryId: string }>,
  "payload" | "jobId" | "attempt" | "maxAttempts" | "signal" | "completeIn" | "assertLease"
>;

/** One stage of an entry: its work, then the entry's new status and the end of the stage in one transaction. */
export function entryStage(parts: () => EntryStageParts, stepNow: () => EntryStep) {
  return async (context: EntryContext): Promise<EntryStep> => {
    const { db, stageWorkMs } = parts();
    const { entryId } = context.payload;
    try {
      const title = await readTitle(db, entryId);
      await simulatedWork(title, stageWorkMs, context.signal);
      const step = stepNow();
      return await db.transaction(async (tx) => {
        await writeStep(tx, entryId, step);
        return await context.completeIn(tx, step);
      });
    } catch (error) {
      if (isLast(context, error)) await tellFailure(db, context, error);
      throw error;
    }
  };
}

/** Whether the job fails with this error. One that is interrupted is tried again elsewhere. */
function isLast({ attempt, maxAttempts, signal }: EntryContext, error: unknown): boolean {
  return !signal.aborted && (error instanceof PermanentError || attempt >= maxAttempts);
}

// Before the job's own end, so that whoever hears of that finds it in the entry. If this process dies in between, the job
// runs again and writes what then becomes of it.
async function tellFailure(db: EntriesDatabase, context: EntryContext, error: unknown): Promise<void> {
  await db.transaction(async (tx) => {
    await context.assertLease(tx);
    await writeFailure(tx, context.jobId, messageOf(error));
  });
}

/** Its first line: database clients tell their statements on the others. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] ?? "";
}
