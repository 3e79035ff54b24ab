import type { StepWorker } from "lockstep";

/** Has several workers run what is due, side by side, until nothing is; says how many tries that took. */
export async function runDue(workers: readonly StepWorker[]): Promise<number> {
  let tries = 0;
  const work = async (worker: StepWorker) => {
    while ((await worker.step()) !== null) tries += 1;
  };
  // The first worker looks alone, since most of the time there is nothing, and again at the end, for what the others added last.
  for (let before = -1; before < tries; ) {
    before = tries;
    const [first, ...others] = workers;
    if (first === undefined || (await first.step()) === null) break;
    tries += 1;
    await Promise.all([first, ...others].map(work));
  }
  return tries;
}
