import { queryText } from "../api/api-client.ts";

/** What a part of the screen subscribes to. */
export interface LiveWish {
  readonly topics: readonly ("stats" | "workers" | "list")[];
  /** Jobs on the screen. */
  readonly watch?: readonly string[];
  /** The list whose new jobs are counted. */
  readonly filter?: string;
  /** The newest job that the list shows. */
  readonly newest?: string;
}

const watchedAtMost = 100;

/** One stream for all wishes: its query, or null when nobody wants anything. */
export function streamQuery(wishes: readonly LiveWish[]): string | null {
  const topics = new Set(wishes.flatMap((wish) => wish.topics));
  const watch = new Set(wishes.flatMap((wish) => wish.watch ?? []));
  const list = wishes.find((wish) => wish.topics.includes("list"));
  if (topics.size === 0 && watch.size === 0) return null;
  return queryText({
    topics: [...topics, ...(watch.size > 0 ? ["rows"] : [])].sort().join(","),
    watch: [...watch].slice(0, watchedAtMost).sort().join(","),
    filter: list?.filter,
    newest: list?.newest,
  });
}
