import type { SuiteOrder, SuiteOutcome } from "./long-suite.ts";

/** What one round, with a seed of its own, came to. */
export interface Round {
  /** Added up over the rounds. */
  readonly counts: Readonly<Record<string, number>>;
  /** Of which the report tells the largest. */
  readonly worst?: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  readonly replay: string;
}

/** Rounds, one seed after the other, for as long as they may take; one at least. */
export async function inRounds(
  { seed, minutes, tell }: SuiteOrder,
  run: (seed: number, secondsLeft: number) => Promise<Round>,
): Promise<SuiteOutcome> {
  const endMs = performance.now() + minutes * 60_000;
  const figures: Record<string, number> = { rounds: 0 };
  const failures: string[] = [];
  let replay = "";
  for (let number = 0; number === 0 || performance.now() < endMs; number += 1) {
    const round = await run(seed + number, Math.max(0, (endMs - performance.now()) / 1_000));
    if (failures.length === 0) replay = round.replay;
    for (const failure of round.failures) {
      failures.push(`seed ${seed + number}: ${failure}`);
      tell(failure);
    }
    for (const [name, count] of Object.entries({ rounds: 1, ...round.counts })) {
      figures[name] = (figures[name] ?? 0) + count;
    }
    for (const [name, value] of Object.entries(round.worst ?? {})) {
      figures[name] = Math.max(figures[name] ?? 0, value);
    }
  }
  return { figures, failures, replay };
}
