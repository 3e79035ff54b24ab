import type { ChaosDatabase } from "./chaos-database.ts";
import type { FaultDealer } from "./fault-dealer.ts";
import type { Fleet } from "./fleet.ts";
import { readJournals } from "./journal.ts";
import type { Lateness } from "./lateness.ts";
import type { Producer } from "./producer.ts";
import { type Recovery, recoveryOf } from "./recovery.ts";
import { violationsIn } from "./verdict.ts";
import { movesOf, sweepsOf, wronglyToldJobs } from "./witness.ts";

/** What came of a run. */
export interface ChaosReport {
  /** One sentence each; none when every promise was kept. */
  readonly violations: readonly string[];
  readonly faults: Readonly<Record<string, number>>;
  readonly faultsInAll: number;
  readonly acknowledged: number;
  /** Adds that were answered with a live twin. */
  readonly twins: number;
  readonly cancels: number;
  /** Requests to the API that had to be sent again. */
  readonly resent: number;
  readonly stageRuns: number;
  /** Words of stale claims that were refused. */
  readonly refused: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly recovery: Recovery;
  readonly leaseMs: number;
  readonly latenessMs: number;
  /** From the last fault until every job was finished. */
  readonly settledInMs: number;
  /** What the engines complained of, each once. */
  readonly errors: readonly string[];
}

export interface ReportParts {
  readonly database: ChaosDatabase;
  readonly fleet: Fleet;
  readonly producer: Producer;
  readonly dealer: FaultDealer;
  readonly lateness: Lateness;
  readonly journalFolder: string;
  readonly leaseMs: number;
  readonly settledInMs: number;
  readonly refusals: number;
  readonly promptShare: number;
}

/** Compares what the processes saw, what the database saw, and what it holds. */
export async function reportOf(parts: ReportParts): Promise<ChaosReport> {
  const { database, fleet, producer, dealer, lateness, leaseMs } = parts;
  const moves = await movesOf(database);
  const journal = readJournals(parts.journalFolder);
  const workers = await database.query<{ id: string; pid: number; renewed_ms: number }>(
    "select id, pid, (extract(epoch from heartbeat_at) * 1000)::double precision as renewed_ms from lockstep.workers",
  );
  const pidOf = new Map(workers.map(({ id, pid }) => [id, pid]));
  const losses = [...dealer.losses, ...fleet.workers.flatMap(({ deaths }) => deaths)];
  const recovery = recoveryOf({
    moves,
    losses,
    outages: dealer.outages,
    pidOf,
    renewedMs: new Map(workers.map(({ id, renewed_ms }) => [id, renewed_ms])),
    sweepsMs: await sweepsOf(database),
    leaseMs,
    latenessMs: (fromMs, untilMs) => lateness.mostWithin(fromMs, untilMs),
  });
  const refused = journal.filter(({ kind }) => kind === "refused").length;
  const violations = [
    ...violationsIn({
      acknowledged: producer.acknowledged,
      journal,
      moves,
      liveIds: await database.liveIds(),
      wronglyTold: await wronglyToldJobs(database),
    }),
    ...(await verified(database)),
    ...dealer.failures,
    ...producer.failures,
    ...[...fleet.workers, ...fleet.apis].flatMap(({ crashes }) => crashes),
  ];
  if (refused < parts.refusals * dealer.total) {
    violations.push(
      `Only ${refused} words of stale claims were refused in ${dealer.total} faults: they did not bite.`,
    );
  }
  if (recovery.promptShare < parts.promptShare) {
    violations.push(
      `Of the ${recovery.provoked + recovery.unprovoked} jobs that lost their worker only ${(100 * recovery.promptShare).toFixed(1)} % were claimed again in time.`,
    );
  }
  return {
    violations,
    faults: dealer.counts,
    faultsInAll: dealer.total,
    acknowledged: producer.acknowledged.size,
    twins: producer.twins,
    cancels: producer.cancels,
    resent: producer.resent,
    stageRuns: journal.filter(({ kind }) => kind === "start").length,
    refused,
    ends: countBy(moves.flatMap(({ kind, status }) => (kind === "finished" ? [status] : []))),
    recovery,
    leaseMs,
    latenessMs: Math.round(lateness.mostMs),
    settledInMs: Math.round(parts.settledInMs),
    errors: [...new Set(journal.flatMap((entry) => (entry.kind === "error" ? [entry.message] : [])))],
  };
}

async function verified(database: ChaosDatabase): Promise<string[]> {
  const found = await database.query<{ invariant: string; job_id: string | null; violation: string }>(
    "select * from lockstep.verify()",
  );
  return found.map(
    ({ invariant, job_id, violation }) =>
      `${invariant}: ${job_id === null ? "" : `job ${job_id} `}${violation}`,
  );
}

function countBy(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
