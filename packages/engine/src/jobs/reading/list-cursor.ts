import { createHash } from "node:crypto";
import { brandError } from "@lockstep/database";
import type { JobFilter } from "./job-filter.ts";

/** Where a job stands in the order of a list. */
export interface Place {
  readonly key: string;
  readonly id: string;
}

/** Where a page begins: behind a place, or before it; null is the end of the list. */
export interface PageStart {
  readonly place: Place | null;
  readonly backwards: boolean;
}

/** A cursor that was not made here, or for another list. */
export class CursorError extends Error {
  static {
    brandError(CursorError, "CursorError");
  }

  override readonly name = "CursorError";
  readonly code: "cursor.invalid" | "cursor.filter_mismatch";

  constructor(code: CursorError["code"]) {
    super(
      code === "cursor.invalid"
        ? "This is not a cursor of a list: send next or previous of a page unchanged, or no cursor."
        : "This cursor belongs to a list with another filter or order: begin again without a cursor.",
    );
    this.code = code;
  }
}

// Between two pages time goes by, and "the last 24 hours" with it. All pages of a list have the times of its first one.
const timesMoveMs = 24 * 3_600_000;

interface Content {
  /** Of everything but the times. */
  readonly filter: string;
  readonly after: number | null;
  readonly before: number | null;
  readonly place: Place | null;
  readonly backwards: boolean;
}

export function encodeCursor(filter: JobFilter, sort: string, start: PageStart): string {
  const { place, backwards } = start;
  const parts = [hashOf(filter, sort), msOf(filter.addedAfter), msOf(filter.addedBefore), backwards ? 1 : 0];
  return Buffer.from(JSON.stringify([...parts, ...(place ? [place.key, place.id] : [])])).toString(
    "base64url",
  );
}

/** Where the page begins, and the filter as it was for the first one. */
export function decodeCursor(
  cursor: string,
  filter: JobFilter,
  sort: string,
): { start: PageStart; filter: JobFilter } {
  const content = contentOf(cursor);
  if (
    content.filter !== hashOf(filter, sort) ||
    !isSameTime(content.after, msOf(filter.addedAfter)) ||
    !isSameTime(content.before, msOf(filter.addedBefore))
  ) {
    throw new CursorError("cursor.filter_mismatch");
  }
  return {
    start: { place: content.place, backwards: content.backwards },
    filter: {
      ...filter,
      ...(content.after !== null && { addedAfter: new Date(content.after) }),
      ...(content.before !== null && { addedBefore: new Date(content.before) }),
    },
  };
}

function isSameTime(was: number | null, is: number | null): boolean {
  if (was === null || is === null) return was === is;
  return is >= was && is - was <= timesMoveMs;
}

function contentOf(cursor: string): Content {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, "base64url").toString());
  } catch {
    throw new CursorError("cursor.invalid");
  }
  if (!Array.isArray(parts)) throw new CursorError("cursor.invalid");
  const [filter, after, before, backwards, key, id] = parts as unknown[];
  const isTime = (value: unknown) =>
    value === null || (Number.isInteger(value) && Math.abs(Number(value)) <= 8.64e15);
  const hasPlace = parts.length === 6;
  const isValid =
    typeof filter === "string" &&
    isTime(after) &&
    isTime(before) &&
    (backwards === 0 || backwards === 1) &&
    (hasPlace
      ? /^-?\d{1,19}$/.test(String(key)) && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(id))
      : parts.length === 4);
  if (!isValid) throw new CursorError("cursor.invalid");
  return {
    filter,
    after: after as number | null,
    before: before as number | null,
    place: hasPlace ? { key: String(key), id: String(id) } : null,
    backwards: backwards === 1,
  };
}

function hashOf({ addedAfter, addedBefore, ...rest }: JobFilter, sort: string): string {
  return createHash("sha256")
    .update(JSON.stringify([sort, inOrder(rest)]))
    .digest("base64url")
    .slice(0, 16);
}

/** The same for the same content, in whatever order it was written. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, inOrder(one)]);
}

function msOf(time: Date | undefined): number | null {
  return time === undefined ? null : time.getTime();
}
