import type { StateTopic } from "./live-message.ts";

/** What a stream is to carry. */
export interface LiveQuery {
  /** "jobs" for the log, which is the default, and states: "stats", "workers", "rows", "list". */
  readonly topics?: readonly ("jobs" | StateTopic)[] | undefined;
  readonly owner?: string | undefined;
  readonly pipeline?: string | undefined;
  readonly jobId?: string | undefined;
  /** Ids of the jobs whose rows are watched, for the topic "rows". */
  readonly watch?: readonly string[] | undefined;
  /** The filter of a list, and the newest job on it, for the topic "list". */
  readonly filter?: string | undefined;
  readonly newest?: string | undefined;
}

/** As the end of a URL, with a question mark where there is anything to ask for. */
export function queryText(query: LiveQuery, more: Readonly<Record<string, string>>): string {
  const { topics, owner, pipeline, jobId, watch, filter, newest } = query;
  const parts = {
    topics: topics?.join(","),
    owner,
    pipeline,
    jobId,
    watch: watch?.join(","),
    filter,
    newest,
  };
  const given = Object.entries({ ...parts, ...more }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== "",
  );
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
