import type pg from "pg";
import { allPairMoves } from "./all-pair-moves.ts";
import { Meeting, points } from "./meet.ts";

export interface PairsReport {
  readonly cases: number;
  /** Null: in all of them one move won and both were told what holds. */
  readonly failure: string | null;
}

/** All pairs at all points, until one goes wrong. */
export async function runPairs(connect: () => Promise<pg.Client>): Promise<PairsReport> {
  const meeting = new Meeting({ first: await connect(), second: await connect(), watcher: await connect() });
  await meeting.prepare();
  let cases = 0;
  const pairs = allPairMoves.flatMap(({ moves, after = [] }) =>
    moves.flatMap((first) => moves.map((second) => ({ first, second, after }))),
  );
  for (const point of points) {
    for (const pair of pairs) {
      cases += 1;
      try {
        await meeting.of(pair, point);
      } catch (error) {
        return { cases, failure: error instanceof Error ? error.message : String(error) };
      }
    }
  }
  return { cases, failure: null };
}
