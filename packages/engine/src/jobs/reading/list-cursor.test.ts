import { describe, expect, test } from "vitest";
import type { JobFilter } from "./job-filter.ts";
import { type CursorError, decodeCursor, encodeCursor } from "./list-cursor.ts";

const place = { key: "1758000000000000", id: "0190a000-0000-7000-8000-000000000001" };
const start = { place, backwards: false };
const noon = new Date("2026-03-02T12:00:00Z");
const later = (ms: number) => new Date(noon.getTime() + ms);

describe("a cursor", () => {
  test.each([
    [{}, start],
    [{ statuses: ["failed"], payload: { a: { b: 1 } } } as JobFilter, { place, backwards: true }],
    [{ tag: "x" }, { place: null, backwards: true }],
    [{ addedAfter: noon, addedBefore: later(5) }, start],
  ])("leads back to where it was made, for %j", (filter, from) => {
    const cursor = encodeCursor(filter, "-id", from);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(decodeCursor(cursor, filter, "-id")).toEqual({ start: from, filter });
  });

  test("is the same list's in whatever order its filter was written", () => {
    const cursor = encodeCursor({ tag: "x", payload: { a: 1, b: 2 } }, "-id", start);
    const filter = { payload: { b: 2, a: 1 }, owner: undefined, tag: "x" };
    expect(decodeCursor(cursor, filter, "-id").start).toEqual(start);
  });

  test("keeps the times of the first page while they move on with the clock", () => {
    const cursor = encodeCursor({ addedAfter: noon }, "-id", start);
    expect(decodeCursor(cursor, { addedAfter: later(60_000) }, "-id").filter).toEqual({ addedAfter: noon });
  });

  test.each<[string, JobFilter, string]>([
    ["another filter", { tag: "y", addedAfter: noon }, "-id"],
    ["more of a filter", { tag: "x", owner: "ada", addedAfter: noon }, "-id"],
    ["another order", { tag: "x", addedAfter: noon }, "-finishedAt"],
    ["no times", { tag: "x" }, "-id"],
    ["more times", { tag: "x", addedAfter: noon, addedBefore: noon }, "-id"],
    ["an earlier time", { tag: "x", addedAfter: later(-1) }, "-id"],
    ["a much later time", { tag: "x", addedAfter: later(3 * 86_400_000) }, "-id"],
  ])("is refused with %s", (_, filter, sort) => {
    const cursor = encodeCursor({ tag: "x", addedAfter: noon }, "-id", start);
    expect(codeOf(() => decodeCursor(cursor, filter, sort))).toBe("cursor.filter_mismatch");
  });

  test.each([
    [""],
    ["nonsense"],
    [asCursor({})],
    [asCursor([])],
    [asCursor(["x", null, null, 2])],
    [asCursor(["x", "soon", null, 0])],
    [asCursor(["x", 9e15, null, 0])],
    [asCursor(["x", null, null, 0, "7", "no id"])],
    [asCursor(["x", null, null, 0, "7.5", place.id])],
    [asCursor(["x", null, null, 0, "7"])],
  ])("that was not made here is refused: %s", (cursor) => {
    expect(codeOf(() => decodeCursor(cursor, {}, "-id"))).toBe("cursor.invalid");
  });
});

function asCursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function codeOf(run: () => unknown): string | null {
  try {
    run();
    return null;
  } catch (error) {
    return (error as CursorError).code;
  }
}
