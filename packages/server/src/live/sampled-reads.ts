import type { Job, JobRowNow, Reader } from "lockstep";
import type { JobView } from "../jobs/job-view.ts";
import type { OldestWaits } from "../jobs/oldest-waits.ts";
import { newestLookedAt } from "./list-watch.ts";
import type { SampledReads } from "./sampler.ts";

export interface SampledReadsParts {
  readonly reader: Pick<Reader, "stats" | "workers" | "rows" | "jobs">;
  readonly view: Pick<JobView, "row">;
  readonly waits: Pick<OldestWaits, "look">;
}

type Row = JobRowNow & { readonly error?: Job["error"] };

const errorsKept = 1_000;

/** States as the routes of the same names answer them. */
export function sampledReads({ reader, view, waits }: SampledReadsParts): SampledReads {
  const errors = new Map<string, Job["error"]>();

  /** A row tells what it failed with, as lists do. It is read once for each failure, not at each look. */
  const withErrors = async (rows: readonly JobRowNow[]): Promise<Row[]> => {
    const unread = rows.filter(
      (row) => (row.status === "failed" || row.status === "retrying") && !errors.has(failureOf(row)),
    );
    if (unread.length > 0) {
      const { jobs } = await reader.jobs({ ids: unread.map(({ id }) => id) }, { limit: unread.length });
      const read = new Map(jobs.map(({ id, error }) => [id, error]));
      for (const row of unread) errors.set(failureOf(row), read.get(row.id) ?? null);
      for (const oldest of errors.keys()) {
        if (errors.size <= errorsKept) break;
        errors.delete(oldest);
      }
    }
    return rows.map((row) => {
      const error = errors.get(failureOf(row));
      return error === undefined ? row : { ...row, error };
    });
  };

  return {
    stats: async () => {
      const [data, oldest] = await Promise.all([reader.stats(), waits.look()]);
      return { data, waits: oldest };
    },
    workers: async () => ({ data: await reader.workers() }),
    rows: async (ids) => (await withErrors(await reader.rows(ids))).map((row) => view.row(row)),
    newest: async (filter) => {
      const { jobs } = await reader.jobs(filter, { limit: newestLookedAt });
      return jobs.map(({ id }) => id);
    },
  };
}

function failureOf({ id, status, updatedAt }: JobRowNow): string {
  return `${id} ${status} ${updatedAt.getTime()}`;
}
