import { ProblemError } from "../problem-error.ts";

interface NamedPage<Item> {
  readonly data: readonly Item[];
  readonly page: {
    readonly next: string | null;
    readonly previous: string | null;
    readonly hasMore: boolean;
  };
}

/** A page of what is listed by name, made of one item more than it shows. Its cursor holds the last name. */
export function namedPage<Item extends { readonly name: string }>(
  found: readonly Item[],
  limit: number,
): NamedPage<Item> {
  const data = found.slice(0, limit);
  const hasMore = found.length > limit;
  const last = data.at(-1);
  const next = hasMore && last !== undefined ? Buffer.from(last.name).toString("base64url") : null;
  return { data, page: { next, previous: null, hasMore } };
}

export function nameAfter(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const name = Buffer.from(cursor, "base64url").toString("utf8");
  if (name !== "" && Buffer.from(name).toString("base64url") === cursor && !name.includes("\0")) return name;
  throw new ProblemError("cursor.invalid", "The cursor cannot be read: take one from a page of this list.");
}
