import {
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

export interface AddTakenParts {
  readonly engine: Pick<Engine, "addMany">;
  readonly transactions: Transactions;
  readonly kind: SourceKind;
}

// Reasons that are the job's own: its payload, or a key, priority or time that cannot be.
const ownReasons = ["LS001", "LS008", "LS009"];

/** Adds jobs of a queue in the open transaction. Those that are refused are found by halves, and the others are added. */
export async function addTaken(
  parts: AddTakenParts,
  target: { readonly queue: string; readonly pipeline: string },
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
    tags: [`imported:${kind}`],
  }));
  try {
    const added = await transactions.attempt(() =>
      engine.addMany(target.pipeline, items, { tx: transactions.client }),
    );
    // Another id is that of a live job with the same key: it stands for that one, and this one stays where it is.
    const twins = jobs.flatMap((job, index) => {
      const id = added[index]?.id;
      return id === items[index]?.id ? [] : [{ job, reason: twinReason(job, id) }];
    });
    const isTwin = new Set(twins.map(({ job }) => job));
    return { here: jobs.filter((job) => !isTwin.has(job)), refused: twins };
  } catch (error) {
    if (!isOwnReason(error)) throw error;
    const [only] = jobs;
    if (jobs.length === 1 && only !== undefined) {
      return { here: [], refused: [{ job: only, reason: reasonOf(error) }] };
    }
    const half = Math.ceil(jobs.length / 2);
    const first = await addTaken(parts, target, jobs.slice(0, half));
    const second = await addTaken(parts, target, jobs.slice(half));
    return { here: [...first.here, ...second.here], refused: [...first.refused, ...second.refused] };
  }
}

function twinReason({ dedupKey }: SourceJob, id: string | undefined): string {
  return `Job ${id}, which is live here, has the same dedup key "${dedupKey}".`;
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
