import type { Reader } from "lockstep";
import type { JobView } from "../job-view.ts";
import { newestLookedAt } from "./list-watch.ts";
import type { SampledReads } from "./sampler.ts";

/** States as the routes of the same names answer them. */
export function sampledReads(reader: Reader, view: Pick<JobView, "row">): SampledReads {
  return {
    stats: async () => ({ data: await reader.stats() }),
    workers: async () => ({ data: await reader.workers() }),
    rows: async (ids) => (await reader.rows(ids)).map((row) => view.row(row)),
    newest: async (filter) => {
      const { jobs } = await reader.jobs(filter, { limit: newestLookedAt });
      return jobs.map(({ id }) => id);
    },
  };
}
