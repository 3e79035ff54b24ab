import { availableParallelism } from "node:os";
import type { Job } from "lockstep";
import { bothBusy } from "./both-busy.ts";
import { usedByAll, usedByProcesses } from "./processor-time.ts";
import type { Document, ProvingGround } from "./proving-ground.ts";

const mostRatio = 0.6;
// Of the processors, while it was measured: more, and the times are those of somebody else.
const mostOthers = 0.1;

interface Measured {
  readonly wallMs: number;
  /** Processor time of the workers and their reading processes; null where the system does not say. */
  readonly usedMs: number | null;
  /** What others had of the processors. */
  readonly others: number;
  readonly jobs: readonly Job[];
}

export interface TwoWorkers {
  /** Two workers' time beside one's, by the clock. */
  readonly ratio: number;
  /** The same by processor time, if each worker has a core: what it takes, and whether both were busy. */
  readonly ratioOfWork: number | null;
  readonly problems: readonly string[];
}

/**
 * How long two workers take beside one, over the same documents, each a process that reads one page at a time. By the
 * clock this needs two cores that have nothing else to do; what they use and whether both are busy shows on any machine.
 */
export async function twoWorkers(
  ground: ProvingGround,
  documents: readonly Document[],
  say: (text: string) => void,
): Promise<TwoWorkers> {
  // One worker before and after, so that neither side has the warmer machine; the faster of them counts.
  const before = await measure(ground, documents, 1);
  const two = await measure(ground, documents, 2);
  const after = await measure(ground, documents, 1);
  const one = before.wallMs < after.wallMs ? before : after;
  const busy = bothBusy(two.jobs.map(spansOf));
  const ratio = two.wallMs / one.wallMs;
  const leastUsed = leastOf(before.usedMs, after.usedMs);
  const ratioOfWork = two.usedMs === null || leastUsed === null ? null : two.usedMs / 2 / busy / leastUsed;
  const others = Math.max(before.others, two.others, after.others);
  say(`one worker ${shown(before)} and ${shown(after)}, two ${shown(two)}; both busy ${percent(busy)}`);
  say(`ratio ${ratio.toFixed(2)} by the clock, while others had up to ${percent(others)} of the processors`);
  if (ratioOfWork !== null)
    say(`ratio ${ratioOfWork.toFixed(2)} by processor time and by how busy both were`);

  const isQuiet = availableParallelism() >= 2 && others <= mostOthers;
  const problems: string[] = [];
  if (isQuiet && ratio > mostRatio)
    problems.push(`Two workers took ${ratio.toFixed(2)} of one worker's time, more than ${mostRatio}.`);
  if (ratioOfWork !== null && ratioOfWork > mostRatio)
    problems.push(
      `With a core each, two workers take ${ratioOfWork.toFixed(2)} of one's time, more than ${mostRatio}.`,
    );
  return { ratio, ratioOfWork, problems };
}

async function measure(
  ground: ProvingGround,
  documents: readonly Document[],
  count: number,
): Promise<Measured> {
  // From when they wait for work on: how long processes take to start is no question of the queue.
  return ground.withWorkers({ count }, async () => {
    const workers = await ground.engine.workers();
    const pids = workers.flatMap(({ isAlive, pid }) => (isAlive ? (pid ?? []) : []));
    const [startedAt, allBefore, usedBefore] = [performance.now(), usedByAll(), await usedByProcesses(pids)];
    const jobs = await ground.ended(await ground.add(documents));
    const [wallMs, all, used] = [
      performance.now() - startedAt,
      usedByAll() - allBefore,
      await usedByProcesses(pids),
    ];
    await ground.forgetPages();
    const usedMs = used === null || usedBefore === null ? null : used - usedBefore;
    const others = Math.max(0, all - (usedMs ?? 0)) / (wallMs * availableParallelism());
    return { wallMs, usedMs, others, jobs };
  });
}

function spansOf({ attempts }: Job) {
  return attempts.map(({ workerId, claimedAt, endedAt }) => ({
    worker: workerId,
    fromMs: claimedAt.getTime(),
    toMs: (endedAt ?? claimedAt).getTime(),
  }));
}

function leastOf(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.min(one, other);
}

function shown({ wallMs, usedMs }: Measured): string {
  const used = usedMs === null ? "" : ` (${seconds(usedMs)} of a processor)`;
  return `${seconds(wallMs)}${used}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
