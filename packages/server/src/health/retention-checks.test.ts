import type { Kept } from "lockstep";
import { expect, test } from "vitest";
import { retentionChecks } from "./retention-checks.ts";

const dayMs = 86_400_000;
const keep = { keepCompletedDays: 7, keepFailedDays: 30, keepEventsDays: 3 };
const none: Kept = { since: null, ageMs: null, estimatedRows: 0, heldTables: 0 };
const keptFor = (ageDays: number): Kept => ({
  since: new Date("2026-03-01T00:00:00Z"),
  ageMs: ageDays * dayMs,
  estimatedRows: 12_345,
  heldTables: 0,
});
const retention = { ranMs: 60_000, completed: keptFor(8), unsuccessful: none, events: none, streams: none };

test("what is kept is told with the day on which the oldest goes, where a worker knows it", () => {
  const [ran, completed] = retentionChecks(retention, keep);
  expect(ran).toMatchObject({ check: "last retention run ms", ok: true, value: 60_000, threshold: dayMs });
  expect(completed).toMatchObject({
    check: "completed jobs kept ms",
    ok: true,
    value: 8 * dayMs,
    threshold: 8 * dayMs + 7_200_000,
    advice: null,
    detail: "Rows: about 12,345, since 2026-03-01 (UTC); that day is dropped on 2026-03-09.",
  });
  expect(retentionChecks(retention, null)[1]).toMatchObject({
    ok: true,
    threshold: null,
    detail: "Rows: about 12,345, since 2026-03-01 (UTC).",
  });
});

test("days that a session keeps from being dropped are counted", () => {
  const [, completed] = retentionChecks({ ...retention, completed: { ...keptFor(8), heldTables: 2 } }, null);
  expect(completed?.detail).toBe(
    "Rows: about 12,345, since 2026-03-01 (UTC). Days that could not be dropped: 2, since a session holds them; lockstep doctor says which.",
  );
});

test("what is kept longer than told, and retention that does not run, do not pass", () => {
  const late = {
    ...retention,
    ranMs: dayMs + 1,
    completed: keptFor(8.1),
    events: keptFor(4.1),
    streams: keptFor(4.2),
  };
  const failing = retentionChecks(late, keep).filter(({ ok }) => !ok);
  expect(failing.map(({ check }) => check)).toEqual([
    "last retention run ms",
    "completed jobs kept ms",
    "events kept ms",
    "streams kept ms",
  ]);
  expect(failing.every(({ advice }) => advice !== null)).toBe(true);
});

test("where nothing has run yet, nothing is wrong", () => {
  const fresh = { ranMs: null, completed: none, unsuccessful: none, events: none, streams: none };
  expect(retentionChecks(fresh, keep).every(({ ok }) => ok)).toBe(true);
});
