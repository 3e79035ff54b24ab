/** How many jobs had been handled when. */
export interface Mark {
  readonly count: number;
  readonly atMs: number;
}

/** Jobs a second between two counts, with straight lines between the marks. */
export function rateBetween(marks: readonly Mark[], from: number, to: number): number {
  return (to - from) / ((atCount(marks, to) - atCount(marks, from)) / 1_000);
}

/**
 * Jobs a second from the first mark at or above a count to the first at or above another: exact where jobs come in
 * batches. From the very beginning, where one batch holds them all.
 */
export function rateFromMarkToMark(marks: readonly Mark[], from: number, to: number): number {
  const last = marks.find(({ count }) => count >= to);
  if (last === undefined) throw new Error(`Only ${marks.at(-1)?.count ?? 0} of ${to} jobs were handled.`);
  const first = [marks.find(({ count }) => count >= from), marks[0]].find(
    (mark) => mark?.count !== last.count,
  );
  if (first === undefined) throw new Error(`No time passed until ${to} jobs were handled.`);
  return (last.count - first.count) / ((last.atMs - first.atMs) / 1_000);
}

function atCount(marks: readonly Mark[], count: number): number {
  const after = marks.findIndex((mark) => mark.count >= count);
  const later = marks[after];
  if (later === undefined) throw new Error(`Only ${marks.at(-1)?.count ?? 0} of ${count} jobs were handled.`);
  const earlier = marks[after - 1];
  if (earlier === undefined || later.count === earlier.count) return later.atMs;
  const fraction = (count - earlier.count) / (later.count - earlier.count);
  return earlier.atMs + (later.atMs - earlier.atMs) * fraction;
}
