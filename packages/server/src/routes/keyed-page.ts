import { ProblemError } from "../middleware/problem-error.ts";

interface KeyedPage<Item> {
  readonly data: readonly Item[];
  readonly page: {
    readonly next: string | null;
    readonly previous: string | null;
    readonly hasMore: boolean;
  };
}

/** A page of what is listed by one key, made of one item more than it shows. Its cursor holds the last key. */
export function keyedPage<Item>(
  found: readonly Item[],
  limit: number,
  keyOf: (item: Item) => string,
): KeyedPage<Item> {
  const data = found.slice(0, limit);
  const hasMore = found.length > limit;
  const last = data.at(-1);
  const next = hasMore && last !== undefined ? Buffer.from(keyOf(last)).toString("base64url") : null;
  return { data, page: { next, previous: null, hasMore } };
}

/** The key in a cursor; undefined without one. */
export function keyIn(cursor: string | undefined, form = /^[^\0]+$/): string | undefined {
  if (cursor === undefined) return undefined;
  const key = Buffer.from(cursor, "base64url").toString("utf8");
  if (Buffer.from(key).toString("base64url") === cursor && form.test(key)) return key;
  throw new ProblemError("cursor.invalid", "The cursor cannot be read: use one from a page of this list.");
}
