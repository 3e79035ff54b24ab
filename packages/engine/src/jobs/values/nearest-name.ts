/** The known name a mistyped one most likely meant, or null when none is near enough to suggest. */
export function nearestName(name: string, knownNames: Iterable<string>): string | null {
  let nearest: string | null = null;
  let shortestDistance = Number.POSITIVE_INFINITY;
  for (const known of knownNames) {
    const distance = distanceBetween(name.toLowerCase(), known.toLowerCase());
    const isNear = distance <= Math.max(2, Math.floor(known.length / 3)) || beginsAlike(name, known);
    if (isNear && distance < shortestDistance) {
      shortestDistance = distance;
      nearest = known;
    }
  }
  return nearest;
}

/** ` Did you mean "leaseMs"?` to end a refusal with, or nothing when no known name is near. */
export function didYouMean(name: string, knownNames: Iterable<string>): string {
  const nearest = nearestName(name, knownNames);
  return nearest === null ? "" : ` Did you mean "${nearest}"?`;
}

// A forgotten or other unit ("lease" or "leaseSeconds" for "leaseMs") is the likeliest slip, however far it
// is in letters.
function beginsAlike(name: string, known: string): boolean {
  const stem = name.toLowerCase().replace(/(?:ms|seconds|minutes|days)$/, "");
  return stem.length >= 3 && known.toLowerCase().startsWith(stem);
}

/** Levenshtein's distance: letters to insert, delete or replace. */
function distanceBetween(from: string, to: string): number {
  let previousRow = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const currentRow = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (previousRow[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const deleted = (previousRow[column] ?? 0) + 1;
      const inserted = (currentRow[column - 1] ?? 0) + 1;
      currentRow.push(Math.min(replaced, deleted, inserted));
    }
    previousRow = currentRow;
  }
  return previousRow[to.length] ?? 0;
}
