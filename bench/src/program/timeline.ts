/** How many jobs had been handled when. */
export interface Mark {
  readonly count: number;
  readonly atMs: number;
}

/** Jobs a second between two counts, with straight lines between the marks. */
export function rateBetween(marks: readonly Mark[], from: number, to: number): number {
  return (to - from) / ((atCount(marks, to) - atCount(marks, from)) / 1_000);
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
