import {
  type Added,
  AddOptionError,
  type Engine,
  InvalidPayloadError,
  PayloadTooLargeError,
  RefusedError,
} from "lockstep";
import { importedId } from "./imported-id.ts";
import type { SourceJob, SourceKind } from "./source.ts";
import type { Transactions } from "./store/transactions.ts";

export interface AddedFrom {
  /** Here now, whether this call has added them or an earlier one had. */
  readonly here: readonly SourceJob[];
  readonly refused: readonly RefusedJob[];
}

export interface RefusedJob {
  readonly job: SourceJob;
  readonly reason: string;
}

export interface AddTarget {
  readonly queue: string;
  readonly pipeline: string;
}

export interface AddTakenParts {
  readonly engine: Pick<Engine, "addMany">;
  readonly transactions: Transactions;
  readonly kind: SourceKind;
}

// Reasons that are the job's own: its payload, or a key, priority or time that cannot be.
const ownReasons = ["LS001", "LS008", "LS009"];

/** Adds jobs of a queue in the open transaction, except those that have a reason to stay where they are. */
export async function addTaken(
  parts: AddTakenParts,
  target: AddTarget,
  jobs: readonly SourceJob[],
): Promise<AddedFrom> {
  const staying = jobs.flatMap((job) => (job.problem === null ? [] : [{ job, reason: job.problem }]));
  const added = await addOrHalve(
    parts,
    target,
    jobs.filter(({ problem }) => problem === null),
  );
  return { here: added.here, refused: [...staying, ...added.refused] };
}

/** Those that are refused are found by halves, and the others are added. */
async function addOrHalve(
  parts: AddTakenParts,
  target: AddTarget,
  jobs: readonly SourceJob[],
): Promise<AddedFrom> {
  if (jobs.length === 0) return { here: [], refused: [] };
  const { engine, transactions, kind } = parts;
  const items = jobs.map((job) => ({
    id: importedId(kind, target.queue, job),
    payload: job.payload ?? null,
    priority: job.priority,
    scheduledFor: job.scheduledFor ?? undefined,
    dedupKey: job.dedupKey ?? undefined,
    groupKey: job.groupKey ?? undefined,
    tags: [`imported:${kind}`, ...job.tags],
  }));
  try {
    const added = await transactions.attempt(() =>
      engine.addMany(target.pipeline, items, { tx: transactions.client }),
    );
    const refused = jobs.flatMap((job, index) => {
      const reason = stayReason(job, items[index]?.id, added[index]);
      return reason === null ? [] : [{ job, reason }];
    });
    const isRefused = new Set(refused.map(({ job }) => job));
    return { here: jobs.filter((job) => !isRefused.has(job)), refused };
  } catch (error) {
    if (!isOwnReason(error)) throw error;
    const [only] = jobs;
    if (jobs.length === 1 && only !== undefined) {
      return { here: [], refused: [{ job: only, reason: reasonOf(error) }] };
    }
    const half = Math.ceil(jobs.length / 2);
    const first = await addOrHalve(parts, target, jobs.slice(0, half));
    const second = await addOrHalve(parts, target, jobs.slice(half));
    return { here: [...first.here, ...second.here], refused: [...first.refused, ...second.refused] };
  }
}

/** Null: the job is here, and the source can let it go. */
function stayReason(
  { dedupKey }: SourceJob,
  id: string | undefined,
  added: Added | undefined,
): string | null {
  if (added === undefined) throw new Error("An add gave no answer.");
  if (added.id !== id) return `Job ${added.id}, which is live here, has the same dedup key "${dedupKey}".`;
  // It will not run here, so that it must not leave the source.
  if (!added.created && added.status === "cancelled")
    return `It was taken over as ${id}, and cancelled here.`;
  return null;
}

/** Of one job alone nobody need hear which of one it is. */
function reasonOf({ message }: Error): string {
  const reason = message.replace(/^Job 1 of 1 cannot be added: /, "");
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

function isOwnReason(error: unknown): error is Error {
  if (error instanceof RefusedError) return ownReasons.includes(error.code);
  return (
    error instanceof AddOptionError ||
    error instanceof InvalidPayloadError ||
    error instanceof PayloadTooLargeError
  );
}
