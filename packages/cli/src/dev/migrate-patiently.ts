import { type Clock, DatabaseUnavailableError, type Engine, type Migrated } from "lockstep";

const tryAgainMs = 1_000;

/** Migrates as soon as the database can be used; says each reason why it cannot once. Null: the signal came first. */
export async function migratePatiently(
  engine: Pick<Engine, "migrate">,
  { clock, signal, say }: { clock: Clock; signal: AbortSignal; say: (sentence: string) => void },
): Promise<Migrated | null> {
  let said = "";
  while (!signal.aborted) {
    try {
      return await engine.migrate({ onWaiting: say });
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError)) throw error;
      if (error.message !== said) say(error.message);
      said = error.message;
      await clock.sleep(tryAgainMs, signal);
    }
  }
  return null;
}
