import { replayOf, type SuiteOrder, type SuiteOutcome } from "./long-suite.ts";

/** What one round, with a seed of its own, came to. */
export interface Round {
  /** Added up over the rounds. */
  readonly counts: Readonly<Record<string, number>>;
  /** Of which the report tells the largest. */
  readonly worst?: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  readonly replay: string;
}

export interface Rounds {
  /** The suite's. */
  readonly name: string;
  readonly run: (seed: number, secondsLeft: number) => Promise<Round>;
  /** Rounds go on, over their time if need be, until these figures are reached. */
  readonly least?: Readonly<Record<string, number>>;
}

/** Rounds, one seed after the other, for as long as they may take; one at least. */
export async function inRounds(
  { seed, minutes, tell }: SuiteOrder,
  { name, run, least = {} }: Rounds,
): Promise<SuiteOutcome> {
  const endMs = performance.now() + minutes * 60_000;
  const figures: Record<string, number> = { rounds: 0 };
  const failures: string[] = [];
  let replay = "";
  // What breaks off one round may break off all others, too: then this was the last one.
  let isBroken = false;
  const isShort = () =>
    failures.length === 0 && Object.entries(least).some(([figure, count]) => (figures[figure] ?? 0) < count);
  for (let number = 0; number === 0 || (!isBroken && (performance.now() < endMs || isShort())); number += 1) {
    const secondsLeft = Math.max(0, (endMs - performance.now()) / 1_000);
    const round: Round = await run(seed + number, secondsLeft).catch((error: unknown) => {
      isBroken = true;
      return { counts: {}, failures: [`It broke off. ${error}`], replay: replayOf(name, seed + number) };
    });
    if (failures.length === 0) replay = round.replay;
    for (const failure of round.failures) {
      failures.push(`seed ${seed + number}: ${failure}`);
      tell(failure);
    }
    for (const [figure, count] of Object.entries({ rounds: 1, ...round.counts })) {
      figures[figure] = (figures[figure] ?? 0) + count;
    }
    for (const [figure, value] of Object.entries(round.worst ?? {})) {
      figures[figure] = Math.max(figures[figure] ?? 0, value);
    }
  }
  return { figures, failures, replay };
}
