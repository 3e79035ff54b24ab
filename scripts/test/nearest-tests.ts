import { posix } from "node:path";

export interface Workspace {
  readonly name: string;
  readonly folder: string;
  /** Names of workspaces that it stands on, for its tests too. */
  readonly dependencies: readonly string[];
}

// About what a file takes: beside the code, and where whole processes or browsers are started.
const secondsBeside = 2;
const secondsOfStory = 12;

/**
 * The test files that are most likely to tell of a mistake in what has changed, the nearest first, as many as take about so
 * many seconds: those of a changed file itself, of its folder, of its package, then of packages that stand on it.
 */
export function nearestTests(
  changed: readonly string[],
  tests: readonly string[],
  workspaces: readonly Workspace[],
  seconds: number,
): { readonly chosen: string[]; readonly leftOut: string[] } {
  const changedFolders = new Set(changed.map(posix.dirname));
  const changedThings = new Set(changed.map(thingOf));
  const changedRooms = new Set(
    changed.map((path) => roomOf(path, workspaces)).filter((room) => room !== null),
  );
  const changedNames = workspaces.filter(({ folder }) => changedRooms.has(folder)).map(({ name }) => name);
  const areDocsChanged = changed.some((path) => path.endsWith(".md"));

  const distanceOf = (test: string): number => {
    if (changedThings.has(thingOf(test))) return 0;
    if (changedFolders.has(posix.dirname(test))) return 1;
    if (areDocsChanged && /^scripts\/docs\/|\/docs\.test\.ts$/.test(test)) return 1;
    const room = roomOf(test, workspaces);
    if (room !== null && changedRooms.has(room)) return 2;
    const workspace = workspaces.find(({ folder }) => folder === room);
    if (workspace?.dependencies.some((name) => changedNames.includes(name))) return 3;
    return Number.POSITIVE_INFINITY;
  };
  const near = tests
    .map((test) => ({ test, distance: distanceOf(test) }))
    .filter(({ distance }) => Number.isFinite(distance))
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ test }) => test);

  let left = seconds;
  const fits = (test: string) => {
    left -= /^(test|bench)\//.test(test) ? secondsOfStory : secondsBeside;
    return left >= 0;
  };
  const firstTooMany = near.findIndex((test) => !fits(test));
  const count = firstTooMany === -1 ? near.length : firstTooMany;
  return { chosen: near.slice(0, count), leftOut: near.slice(count) };
}

/** What a file is about, with its folder: `a/claim_jobs` of `a/claim_jobs.sql` and of `a/claim_jobs.race.test.ts`. */
function thingOf(path: string): string {
  const [name = ""] = posix.basename(path).split(".");
  return posix.join(posix.dirname(path), name);
}

/** The workspace's folder, `test/x`, or a folder of the repository itself; null for its own files. */
function roomOf(path: string, workspaces: readonly Workspace[]): string | null {
  const workspace = workspaces.find(({ folder }) => path.startsWith(`${folder}/`));
  if (workspace !== undefined) return workspace.folder;
  const [first = "", second = "", third] = path.split("/");
  if (second === "") return null;
  return first === "test" && third !== undefined ? `${first}/${second}` : first;
}
