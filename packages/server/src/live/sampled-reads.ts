import type { Reader } from "lockstep";
import { newestLookedAt } from "./list-watch.ts";
import type { SampledReads } from "./sampler.ts";

/** States as the routes of the same names answer them. */
export function sampledReads(reader: Reader): SampledReads {
  return {
    stats: async () => ({ data: await reader.stats() }),
    workers: async () => ({ data: await reader.workers() }),
    rows: (ids) => reader.rows(ids),
    newest: async (filter) => {
      const { jobs } = await reader.jobs(filter, { limit: newestLookedAt });
      return jobs.map(({ id }) => id);
    },
  };
}
