import type { GiveUp, StageContext } from "lockstep";
import type { EntryStep, EntryStore } from "../database/entry-store.ts";
import { PermanentError } from "../native-packages.ts";
import { simulatedWork } from "../services/simulated-work.ts";

export interface EntryStageParts {
  readonly store: Pick<EntryStore, "find" | "transaction">;
  readonly stageWorkMs: number;
}

type EntryContext = Pick<
  StageContext<{ entryId: string }>,
  "payload" | "attempt" | "maxAttempts" | "signal" | "completeIn" | "failIn"
>;

/** One stage of an entry: its work, then the entry's new status and the end of the stage in one transaction. */
export function entryStage(
  parts: () => EntryStageParts | Promise<EntryStageParts>,
  stepNow: () => EntryStep,
) {
  return async (context: EntryContext): Promise<EntryStep | GiveUp> => {
    const { store, stageWorkMs } = await parts();
    const { entryId } = context.payload;
    try {
      const title = await titleOf(store, entryId);
      await simulatedWork(title, stageWorkMs, context.signal);
      const step = stepNow();
      return await store.transaction(async ({ tx, write }) => {
        await write(entryId, step);
        return await context.completeIn(tx, step);
      });
    } catch (error) {
      if (!isLast(context, error)) throw error;
      return await store.transaction(async ({ tx, write }) => {
        await write(entryId, { status: "FAILED", result: `Error: ${messageOf(error)}` });
        return await context.failIn(tx, error);
      });
    }
  };
}

async function titleOf(store: EntryStageParts["store"], entryId: string): Promise<string> {
  const entry = await store.find(entryId);
  if (entry !== null) return entry.title;
  throw new PermanentError(
    `There is no entry ${entryId}. It was deleted, or its job was not made by POST /api/entries.`,
  );
}

/** Whether the job fails with this error. One that is interrupted is tried again elsewhere. */
function isLast({ attempt, maxAttempts, signal }: EntryContext, error: unknown): boolean {
  return !signal.aborted && (error instanceof PermanentError || attempt >= maxAttempts);
}

/** Its first line: database clients tell their statements on the others. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] ?? "";
}
