import { checkJobFilter, type JobFilter, JobFilterError } from "../../jobs/reading/job-filter.ts";
import type { JobPage, PageOptions } from "../../jobs/reading/job-page.ts";
import { checkedJobSort, type JobSort } from "../../jobs/reading/job-sort.ts";
import { decodeCursor, encodeCursor, type PageStart, type Place } from "../../jobs/reading/list-cursor.ts";
import { didYouMean } from "../../jobs/values/nearest-name.ts";
import type { Found, ListStore } from "../../store/reading/list-store.ts";

interface Asked {
  readonly filter: JobFilter;
  readonly sort: JobSort;
  readonly limit: number;
  readonly preview: boolean;
}

const optionNames = ["sort", "limit", "cursor", "preview"];
const firstPage: PageStart = { place: null, backwards: false };
const lastPage: PageStart = { place: null, backwards: true };

/** Pages of a list, with cursors to the next and the previous one. */
export class JobPages {
  readonly #store: Pick<ListStore, "list">;

  constructor(store: Pick<ListStore, "list">) {
    this.#store = store;
  }

  async read(given: JobFilter, options: PageOptions): Promise<JobPage> {
    checkJobFilter(given);
    const { limit, preview, cursor } = checkedOptions(options);
    const sort = checkedJobSort(options.sort ?? "-id");
    const { start, filter } =
      cursor === undefined ? { start: firstPage, filter: given } : decodeCursor(cursor, given, sort);
    const asked = { filter, sort, limit, preview };
    if (!start.backwards) return await this.#forwards(asked, start);
    const found = await this.#find(asked, start);
    // Near the beginning a page would be short: the first one is whole.
    if (found.jobs.length <= limit && found.goOnFrom === null) return await this.#forwards(asked, firstPage);
    return pageBefore(asked, found);
  }

  async #forwards(asked: Asked, start: PageStart): Promise<JobPage> {
    return pageBehind(asked, await this.#find(asked, start), start);
  }

  /** One more than the page holds tells whether there is another. */
  #find({ filter, sort, limit, preview }: Asked, { place, backwards }: PageStart): Promise<Found> {
    return this.#store.list(filter, { sort, after: place, backwards, limit: limit + 1, preview });
  }
}

function pageBehind(asked: Asked, { jobs, places, goOnFrom }: Found, start: PageStart): JobPage {
  const { limit } = asked;
  const next = jobs.length > limit ? (places[limit - 1] ?? null) : goOnFrom;
  const isFirst = start.place === null;
  const before = places[0] ?? goOnFrom;
  return {
    jobs: jobs.slice(0, limit),
    next: next && cursorTo(asked, { place: next, backwards: false }),
    previous: isFirst ? null : cursorTo(asked, before ? { place: before, backwards: true } : lastPage),
    ...cut(asked, jobs.length > limit ? null : goOnFrom),
  };
}

function pageBefore(asked: Asked, { jobs, places, goOnFrom }: Found): JobPage {
  const { limit } = asked;
  const shown = jobs.length > limit ? 1 : 0;
  const before = places[shown];
  const behind = places.at(-1) ?? goOnFrom;
  const previous = shown === 1 ? (before ?? null) : goOnFrom;
  return {
    jobs: jobs.slice(shown),
    next: cursorTo(asked, behind ? { place: behind, backwards: false } : firstPage),
    previous: previous && cursorTo(asked, { place: previous, backwards: true }),
    ...cut(asked, shown === 1 ? null : goOnFrom),
  };
}

function cursorTo({ filter, sort }: Asked, start: PageStart): string {
  return encodeCursor(filter, sort, start);
}

function cut({ sort }: Asked, goOnFrom: Place | null): Pick<JobPage, "isCutShort" | "scannedTo"> {
  if (goOnFrom === null) return { isCutShort: false, scannedTo: null };
  if (sort === "claimOrder") return { isCutShort: true, scannedTo: null };
  // The first 48 bits of a time-ordered id are milliseconds; the keys of the other orders are microseconds.
  const ms =
    sort === "-id"
      ? Number.parseInt(goOnFrom.id.replace("-", "").slice(0, 12), 16)
      : Number(goOnFrom.key) / 1_000;
  const time = new Date(Math.floor(ms));
  return { isCutShort: true, scannedTo: Number.isNaN(time.getTime()) ? null : time };
}

function checkedOptions(options: PageOptions): {
  limit: number;
  preview: boolean;
  cursor: string | undefined;
} {
  for (const name of Object.keys(options)) {
    if (optionNames.includes(name)) continue;
    throw new JobFilterError(`Unknown option "${name}" of a list.${didYouMean(name, optionNames)}`);
  }
  const { limit = 50, preview = false, cursor } = options;
  if (!Number.isInteger(limit) || limit < 1 || limit > 200) {
    throw new JobFilterError("limit must be a whole number from 1 to 200.");
  }
  return { limit, preview, cursor };
}
