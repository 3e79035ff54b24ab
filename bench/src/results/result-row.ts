import type { Contender } from "../contenders/contender-list.ts";
import type { Part } from "../plan/part.ts";
import { median } from "./statistics.ts";

/** What one contender's runs for one part gave. */
export interface Samples {
  readonly contender: Contender;
  readonly values: readonly number[];
  /** Why there are none. */
  readonly reason: string | null;
  /** What a reader must know of the values. */
  readonly notes: readonly string[];
  readonly details: readonly unknown[];
}

/** One part in the files of results. A ratio above 1 is in Lockstep's favour, whichever way is better. */
export interface ResultRow {
  readonly part: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
  readonly lockstep: number | null;
  readonly peers: Readonly<Record<string, number | null>>;
  readonly limit: number | null;
  readonly bestPeer: string | null;
  readonly ratioToBestPeer: number | null;
  readonly ratioToLimit: number | null;
  /** Least and greatest of each contender's rounds. */
  readonly spread: Readonly<Record<string, readonly [number, number]>>;
  /** Why a value is null. */
  readonly reasons: Readonly<Record<string, string>>;
  /** What must be known of a value. */
  readonly notes: Readonly<Record<string, string>>;
  /** How often each was measured. */
  readonly rounds: Readonly<Record<string, number>>;
  readonly details: Readonly<Record<string, readonly unknown[]>>;
}

export function resultRow(part: Part, samples: readonly Samples[]): ResultRow {
  const medianOf = ({ values }: Samples) => (values.length === 0 ? null : rounded(median(values)));
  const ofRole = (role: Contender["role"]) => samples.filter(({ contender }) => contender.role === role);
  const peers = Object.fromEntries(ofRole("peer").map((one) => [one.contender.name, medianOf(one)]));
  const ours = ofRole("lockstep")[0];
  const limit = ofRole("limit")[0];
  const lockstep = ours === undefined ? null : medianOf(ours);
  const limitValue = limit === undefined ? null : medianOf(limit);
  const bestPeer = bestOf(peers, part.better);
  return {
    part: part.name,
    unit: part.unit,
    better: part.better,
    lockstep,
    peers: { ...peers, ...Object.fromEntries(Object.keys(part.absent).map((module) => [module, null])) },
    limit: limitValue,
    bestPeer,
    ratioToBestPeer: ratio(lockstep, bestPeer === null ? null : (peers[bestPeer] ?? null), part.better),
    ratioToLimit: ratio(lockstep, limitValue, part.better),
    spread: Object.fromEntries(
      samples
        .filter(({ values }) => values.length > 0)
        .map(({ contender, values }) => [
          contender.name,
          [rounded(Math.min(...values)), rounded(Math.max(...values))] as const,
        ]),
    ),
    reasons: {
      ...part.absent,
      ...Object.fromEntries(
        samples.flatMap(({ contender, reason }) => (reason === null ? [] : [[contender.name, reason]])),
      ),
    },
    notes: Object.fromEntries(
      samples.flatMap(({ contender, notes }) =>
        notes.length === 0 ? [] : [[contender.name, notes.join("; ")]],
      ),
    ),
    rounds: Object.fromEntries(samples.map(({ contender, values }) => [contender.name, values.length])),
    details: Object.fromEntries(samples.map(({ contender, details }) => [contender.name, details])),
  };
}

function bestOf(peers: Readonly<Record<string, number | null>>, better: Part["better"]): string | null {
  const measured = Object.entries(peers).filter((pair): pair is [string, number] => pair[1] !== null);
  measured.sort(([, a], [, b]) => (better === "higher" ? b - a : a - b));
  return measured[0]?.[0] ?? null;
}

function ratio(ours: number | null, theirs: number | null, better: Part["better"]): number | null {
  if (ours === null || theirs === null) return null;
  const value = better === "higher" ? ours / theirs : theirs / ours;
  return Number.isFinite(value) ? rounded(value) : null;
}

/** Four digits are more than any of it is worth. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
